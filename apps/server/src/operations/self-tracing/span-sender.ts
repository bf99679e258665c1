import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import type { HeaderList } from "#base/settings/self-tracing-settings.ts";
import { SELF_TRACING_HEADER } from "#http/self-tracing-header.ts";
import { VERSION } from "#http/versions.ts";

const MOST_QUEUED = 2_048;
const MOST_IN_A_BATCH = 512;
const EVERY_MS = 5_000;
const WITHIN_MS = 10_000;
const LAST_WITHIN_MS = 1_000;

/** A span of OTLP/JSON. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export type OtlpSpan = Readonly<Record<string, unknown>>;

export interface SenderSettings {
	readonly endpoint: string;
	readonly headers: HeaderList;
	readonly project: string;
}

/** Sends spans in batches, in the background; drops spans that do not fit into the queue or cannot be delivered. */
export class SpanSender implements AsyncDisposable {
	readonly #settings: SenderSettings;
	readonly #log: FastifyBaseLogger;
	readonly #resource: object;
	readonly #timer: NodeJS.Timeout;
	#queue: OtlpSpan[] = [];
	#dropped = 0;
	#sending: Promise<void> | undefined;
	#failed = false;

	constructor(settings: SenderSettings, log: FastifyBaseLogger) {
		this.#settings = settings;
		this.#log = log;
		this.#resource = {
			attributes: [
				attribute("service.name", "spanward"),
				attribute("service.version", VERSION),
				attribute("service.instance.id", randomUUID()),
				attribute("openinference.project.name", settings.project),
			],
		};
		this.#timer = setInterval(() => this.#send(), EVERY_MS).unref();
	}

	add(span: OtlpSpan): void {
		if (this.#queue.length >= MOST_QUEUED) this.#dropped += 1;
		else if (this.#queue.push(span) >= MOST_IN_A_BATCH) this.#send();
	}

	/** Sends the queued spans. */
	async flush(withinMs = WITHIN_MS): Promise<void> {
		await this.#sending;
		while (this.#queue.length > 0) await this.#post(this.#queue.splice(0, MOST_IN_A_BATCH), withinMs);
	}

	#send(): void {
		this.#sending ??= this.#post(this.#queue.splice(0, MOST_IN_A_BATCH), WITHIN_MS).finally(() => {
			this.#sending = undefined;
			if (this.#queue.length >= MOST_IN_A_BATCH) this.#send();
		});
	}

	/** Never rejects. */
	async #post(spans: readonly OtlpSpan[], withinMs: number): Promise<void> {
		if (spans.length === 0) return;
		const { endpoint, headers } = this.#settings;
		try {
			const response = await fetch(`${endpoint}/v1/traces`, {
				method: "POST",
				redirect: "error",
				signal: AbortSignal.timeout(withinMs),
				headers: {
					...Object.fromEntries(headers.map(({ name, value }) => [name, value.reveal()])),
					"content-type": "application/json",
					[SELF_TRACING_HEADER]: "true",
				},
				body: JSON.stringify({
					resourceSpans: [{ resource: this.#resource, scopeSpans: [{ scope: { name: "spanward" }, spans }] }],
				}),
			});
			await response.body?.cancel();
			if (!response.ok) throw new Error(`it answered ${response.status}`);
			if (this.#failed) this.#log.info({ dropped: this.#dropped }, "SERVICE_SELF_TRACING_ENDPOINT accepts spans again");
			this.#failed = false;
			this.#dropped = 0;
		} catch (error) {
			this.#dropped += spans.length;
			if (this.#failed) return;
			this.#failed = true;
			this.#log.warn(
				{ err: error },
				"SERVICE_SELF_TRACING_ENDPOINT does not accept spans; they are dropped until it does",
			);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#timer);
		await Promise.race([this.#sending, new Promise((resolve) => setTimeout(resolve, LAST_WITHIN_MS).unref())]);
		await this.#post(this.#queue.splice(0, MOST_IN_A_BATCH), LAST_WITHIN_MS);
	}
}

export function attribute(key: string, value: string | number): object {
	return { key, value: typeof value === "string" ? { stringValue: value } : { intValue: String(Math.round(value)) } };
}
