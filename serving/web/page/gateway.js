// Asks the gateway that served this page. The token lives in this module and nowhere else.

let token = "";

export function useToken(given) {
  token = given;
}

/** A refusal in the gateway's words; `status` is the HTTP one, 0 when there was no answer. */
export class Refusal extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Models that read pages, with all that the gateway says of them. */
export async function listPipelines() {
  const { models } = await ask("v1/models", {});
  return models.filter((model) => model.task === "pipeline");
}

/** Read a file; the answer is that of POST /v1/ocr, each page with its picture. */
export function readFile(file, { model, signal }) {
  const query = new URLSearchParams({ render: "true" });
  if (model) query.set("model", model);
  // The content says what the file is; its name and the browser's guess do not count.
  const headers = { "Content-Type": "application/octet-stream" };
  return ask(`v1/ocr?${query}`, { method: "POST", body: file, headers, signal });
}

async function ask(path, { headers = {}, ...options }) {
  const allowed = token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
  let reply;
  try {
    reply = await fetch(path, { ...options, headers: allowed });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The gateway does not answer. Does it still run?", 0);
  }
  const answer = await reply.json().catch(() => ({}));
  if (reply.ok) return answer;
  const said = answer.error?.message ?? `The gateway answered ${reply.status}`;
  throw new Refusal(said, reply.status);
}
