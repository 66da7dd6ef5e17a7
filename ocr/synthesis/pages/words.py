"""What synthetic pages say: labels, names and values by their role, in few words."""

import random
import re
import string
from collections.abc import Mapping, Sequence

Words = Mapping[str, tuple[str, ...]]
"""Alternatives by role; each `#` of an alternative becomes a digit."""

ALWAYS = string.digits + " .,:-/%#"

ENGLISH: Words = {
    "company": (
        "Acme Trading", "Nova Foods", "Delta Tools", "Harbour Books", "Green Valley Farm",
        "Orion Supply", "North Star Hotel", "Riverside Garden",
    ),
    "address": (
        "## Market Street", "## Station Road", "# Mill Lane", "### King Avenue", "No. ## High Road",
    ),
    "city": ("Springfield #####", "##### Riverton", "Lakeside ####", "Newport ####", "## Kingston"),
    "phone": ("Tel ##-#### ####", "Phone 0##-#######", "TEL: ### ####"),
    "person": (
        "Alice Brown", "David King", "Emma Stone", "John Miller", "Maria Lopez", "Peter Young",
        "Sarah Lee", "Tom Baker",
    ),
    "invoice": ("Invoice", "Tax Invoice", "Receipt", "Cash Bill", "Delivery Note"),
    "number": ("Invoice No", "Number", "Bill No", "Ref No"),
    "number_value": ("INV-#####", "########", "##/####", "A-######"),
    "date": ("Date", "Issued", "Date of Issue"),
    "due": ("Due", "Due Date", "Terms"),
    "bill_to": ("Bill To", "Customer", "Sold To"),
    "item": ("Item", "Description", "Goods"),
    "quantity": ("Qty", "Pcs"),
    "price": ("Price", "Unit Price", "Each"),
    "amount": ("Amount", "Total", "Sum"),
    "goods": (
        "Coffee", "White Bread", "Milk 1L", "A4 Paper", "LED Bulb 9W", "Cable Tie", "PVC Pipe 20mm",
        "Chicken Rice", "Mineral Water", "Notebook", "Printer Ink", "Garden Hose", "Paint 5L",
    ),
    "subtotal": ("Subtotal", "Net Amount", "Sum"),
    "tax": ("Tax 6%", "VAT 20%", "GST 7%"),
    "total": ("Total", "Grand Total", "Amount Due"),
    "thanks": ("Thank You", "Please come again", "Goods sold are not returnable"),
}  # fmt: skip
CHINESE: Words = {
    "company": ("新华商店", "大同食品公司", "永安工具店", "东方书店", "南山酒店"),
    "address": ("中山路##号", "人民路###号", "解放路#号"),
    "city": ("上海市", "南京市", "杭州市", "广州市"),
    "phone": ("电话 0##-########", "电话: ########"),
    "person": ("王明", "李小红", "张伟", "陈东", "刘洋"),
    "invoice": ("发票", "收据", "销售单"),
    "number": ("编号", "发票号码", "单号"),
    "number_value": ("########", "##-#####", "######"),
    "date": ("日期", "开票日期"),
    "due": ("付款日期", "交货日期"),
    "bill_to": ("客户", "购买方"),
    "item": ("名称", "商品名称"),
    "quantity": ("数量",),
    "price": ("单价",),
    "amount": ("金额", "合计"),
    "goods": ("咖啡", "白面包", "牛奶", "打印纸", "红茶", "大米", "电线", "工具"),
    "subtotal": ("小计", "合计金额"),
    "tax": ("税额 6%", "税额 13%"),
    "total": ("总计", "应付金额"),
    "thanks": ("谢谢", "欢迎再来"),
}  # fmt: skip
METER: Words = {
    "unit": ("kWh", "m3"),
    "title": ("ELECTRIC METER", "WATER METER", "GAS METER", "SINGLE PHASE METER"),
    "maker": ("ACME", "NOVA", "DELTA", "ORION", "HELIX"),
    "reading": ("#####",),
    "serial": ("NO. ########", "NO. ## ######", "SN ########", "SN ####-####"),
    "rating": (
        "TYPE D###|TYPE E##-#|TYPE DT ###", "220 V|230 V|240 V", "5-20 A|5-60 A|10-40 A",
        "50 Hz|60 Hz", "CLASS 1|CLASS 2", "201#|MADE IN 202#", "### R/kWh|#### R/kWh",
    ),
}  # fmt: skip


def draw_text(words: Words, role: str, *, rng: random.Random) -> str:
    """One of a role's alternatives, with digits in the place of its marks."""
    return draw_one(words[role], rng=rng)


def draw_one(alternatives: Sequence[str], *, rng: random.Random) -> str:
    """One of some alternatives, with digits in the place of its marks."""
    return re.sub("#", lambda _: rng.choice(string.digits), rng.choice(alternatives))


def draw_day(rng: random.Random) -> str:
    """A date in figures."""
    year, month, day = rng.randint(1990, 2035), rng.randint(1, 12), rng.randint(1, 28)
    mark = rng.choice("-/.")
    first, last = (year, day) if rng.random() < 0.5 else (day, year)
    return f"{first:02}{mark}{month:02}{mark}{last:02}"


def draw_price(rng: random.Random) -> float:
    """An amount of money, more often a small one."""
    return round(rng.choice((9, 99, 99, 999)) * rng.random() + 0.5, 2)


def in_capitals(words: Words) -> Words:
    """The same words in capitals."""
    return {role: tuple(text.upper() for text in texts) for role, texts in words.items()}


def alphabet_of(words: Words) -> str:
    """Every character that texts of these words may have, sorted."""
    return "".join(sorted({c for texts in words.values() for c in "".join(texts)} | set(ALWAYS)))
