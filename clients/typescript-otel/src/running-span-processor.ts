import { context, TraceFlags } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import type { ReadableSpan, Span, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-node";

export interface RunningSpanOptions {
	/** A span is sent once it has been running for so long, in milliseconds; default 1,000. Shorter ones cost nothing. */
	delayMs?: number;
}

/**
 * Sends spans while they run, without an end. Spanward shows them as running, and takes the span as it ended in their
 * place. Use it beside a processor that sends spans as they end, and give it an exporter of its own.
 * @example
 * new NodeTracerProvider({
 *   spanProcessors: [new RunningSpanProcessor(new OTLPTraceExporter()), new BatchSpanProcessor(new OTLPTraceExporter())],
 * });
 */
export class RunningSpanProcessor implements SpanProcessor {
	readonly #exporter: SpanExporter;
	readonly #delayMs: number;
	/** Spans that run and were not sent yet, by id. */
	readonly #waiting = new Map<string, Span>();
	readonly #exports = new Set<Promise<void>>();
	#timer: ReturnType<typeof setTimeout> | undefined;

	constructor(exporter: SpanExporter, { delayMs = 1_000 }: RunningSpanOptions = {}) {
		this.#exporter = exporter;
		this.#delayMs = delayMs;
	}

	onStart(span: Span): void {
		const { spanId, traceFlags } = span.spanContext();
		if ((traceFlags & TraceFlags.SAMPLED) === 0) return;
		this.#waiting.set(spanId, span);
		this.#timer ??= setTimeout(() => this.#send(), this.#delayMs).unref();
	}

	onEnd(span: ReadableSpan): void {
		this.#waiting.delete(span.spanContext().spanId);
	}

	/** Sends what runs now and was not sent yet. */
	async forceFlush(): Promise<void> {
		this.#send();
		await Promise.all(this.#exports);
		await this.#exporter.forceFlush?.();
	}

	/** Sends what still runs, so that one sees what never ended. */
	async shutdown(): Promise<void> {
		await this.forceFlush();
		await this.#exporter.shutdown();
	}

	#send(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const spans = [...this.#waiting.values()] as unknown as ReadableSpan[];
		this.#waiting.clear();
		if (spans.length === 0) return;
		// What is not received now is received when the span ends.
		const sent = new Promise<void>((resolve) => {
			context.with(suppressTracing(context.active()), () => this.#exporter.export(spans, () => resolve()));
		});
		this.#exports.add(sent);
		void sent.finally(() => this.#exports.delete(sent));
	}
}
