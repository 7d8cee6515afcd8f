//! The providers of an app, and what they got.

use std::collections::BTreeMap;

use hooks_otel::Telemetry;
use opentelemetry::trace::noop::NoopTracerProvider;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData, ResourceMetrics, ScopeMetrics};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};

/// The attributes of a point of a metric, and its count.
pub(crate) type Point = (BTreeMap<String, String>, u64);

pub(crate) struct Collector {
    spans: InMemorySpanExporter,
    metrics: InMemoryMetricExporter,
    pub(crate) tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
    /// Whether the app has no provider of spans.
    is_silent: bool,
}

impl Collector {
    pub(crate) fn new() -> Self {
        let (spans, metrics) = (InMemorySpanExporter::default(), InMemoryMetricExporter::default());
        let tracers = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
        let meters = SdkMeterProvider::builder().with_reader(PeriodicReader::builder(metrics.clone()).build()).build();
        Self { spans, metrics, tracers, meters, is_silent: false }
    }

    pub(crate) fn without_tracers() -> Self {
        Self { is_silent: true, ..Self::new() }
    }

    /// With the names that still move.
    pub(crate) fn telemetry(&self) -> Telemetry {
        let telemetry = if self.is_silent {
            Telemetry::new(&NoopTracerProvider::new(), &self.meters)
        } else {
            Telemetry::new(&self.tracers, &self.meters)
        };
        telemetry.provider("anthropic").guardrails(true).viewers(true)
    }

    pub(crate) fn spans(&self) -> Vec<SpanData> {
        self.spans.get_finished_spans().unwrap()
    }

    pub(crate) fn span(&self, name: &str) -> SpanData {
        let spans = self.spans();
        let names: Vec<_> = spans.iter().map(|span| span.name.clone()).collect();
        spans.into_iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no span `{name}` in {names:?}"))
    }

    /// The bounds of the buckets of a histogram.
    pub(crate) fn bounds(&self, name: &str) -> Vec<f64> {
        self.meters.force_flush().unwrap();
        let finished = self.metrics.get_finished_metrics().unwrap();
        let mut metrics =
            finished.last().into_iter().flat_map(ResourceMetrics::scope_metrics).flat_map(ScopeMetrics::metrics);
        match metrics.find(|metric| metric.name() == name).unwrap().data() {
            AggregatedMetrics::F64(MetricData::Histogram(data)) => {
                data.data_points().next().unwrap().bounds().collect()
            }
            AggregatedMetrics::U64(MetricData::Histogram(data)) => {
                data.data_points().next().unwrap().bounds().collect()
            }
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn points(&self) -> BTreeMap<String, Vec<Point>> {
        self.meters.force_flush().unwrap();
        let mut points: BTreeMap<String, Vec<_>> = BTreeMap::new();
        let finished = self.metrics.get_finished_metrics().unwrap();
        for metric in
            finished.last().into_iter().flat_map(ResourceMetrics::scope_metrics).flat_map(ScopeMetrics::metrics)
        {
            let of = |attributes: &mut dyn Iterator<Item = &opentelemetry::KeyValue>| {
                attributes.map(|pair| (pair.key.to_string(), pair.value.to_string())).collect::<BTreeMap<_, _>>()
            };
            let found: Vec<_> = match metric.data() {
                AggregatedMetrics::F64(MetricData::Histogram(data)) => {
                    data.data_points().map(|point| (of(&mut point.attributes()), point.count())).collect()
                }
                AggregatedMetrics::U64(MetricData::Histogram(data)) => {
                    data.data_points().map(|point| (of(&mut point.attributes()), point.sum())).collect()
                }
                AggregatedMetrics::U64(MetricData::Sum(data)) => {
                    data.data_points().map(|point| (of(&mut point.attributes()), point.value())).collect()
                }
                other => panic!("{other:?}"),
            };
            points.insert(format!("{} [{}]", metric.name(), metric.unit()), found);
        }
        points
    }
}

/// The attributes of a span as text.
pub(crate) fn attributes(span: &SpanData) -> BTreeMap<String, String> {
    span.attributes.iter().map(|pair| (pair.key.to_string(), pair.value.to_string())).collect()
}
