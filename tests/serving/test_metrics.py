from serving.metrics import ServingMetrics


def test_texts_and_images_are_counted_by_model() -> None:
    metrics = ServingMetrics()

    metrics.observe_crops("plates", [0.6, 0.999])
    metrics.observe_texts("plates", [0.4])
    metrics.observe_texts("receipts", [0.97])

    told = metrics.render().decode().splitlines()
    for line in (
        'ocrline_images_total{model="plates"} 2.0',
        'ocrline_confidence_count{model="plates"} 3.0',
        'ocrline_confidence_bucket{le="0.5",model="plates"} 1.0',
        'ocrline_confidence_bucket{le="0.7",model="plates"} 2.0',
        'ocrline_confidence_count{model="receipts"} 1.0',
    ):
        assert line in told


def test_a_method_that_nobody_knows_makes_no_series_of_its_own() -> None:
    metrics = ServingMetrics()

    for method in ("GET", "BREW", "STEEP"):
        metrics.observe(
            route="/health", method=method, status=405, seconds=0.01, code="bad_request"
        )

    told = metrics.render().decode()
    assert 'ocrline_requests_total{method="GET",route="/health",status="405"} 1.0' in told
    assert 'ocrline_requests_total{method="other",route="/health",status="405"} 2.0' in told
    assert 'ocrline_problems_total{code="bad_request",route="/health"} 3.0' in told
