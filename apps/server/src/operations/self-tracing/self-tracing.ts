import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import type { Config } from "#base/config.ts";
import type { GroupReport } from "#ingest/worker-messages.ts";
import {
	type StatementDone as ClickHouseStatement,
	statementsDone as clickHouseStatements,
} from "#storage/clickhouse/statement-channel.ts";
import {
	type StatementDone as PostgresStatement,
	statementsDone as postgresStatements,
} from "#storage/postgres/statement-channel.ts";
import { attribute, SpanSender } from "./span-sender.ts";

const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;
const MOST_SQL = 2_000;

/** A request that is traced. */
export interface TracedRequest {
	readonly traceId: string;
	readonly spanId: string;
	/** In the time of `performance.now()`. */
	readonly startMs: number;
}

/**
 * Sends spans of this server's requests, of their statements to PostgreSQL and ClickHouse, and of the commits of exports to
 * another server. They contain no paths, queries, bodies, headers or values. Off unless `SERVICE_SELF_TRACING_ENDPOINT` is
 * set.
 */
export class SelfTracing implements AsyncDisposable {
	readonly #sender: SpanSender | undefined;
	readonly #ratio: number;
	readonly #current = new AsyncLocalStorage<TracedRequest>();
	readonly #onPostgres = (message: unknown) => {
		const done = message as PostgresStatement;
		this.#tellStatement(done, "postgresql", [attribute("spanward.pool", done.use)]);
	};
	readonly #onClickHouse = (message: unknown) => {
		const done = message as ClickHouseStatement;
		const { node, queryId } = done;
		this.#tellStatement(done, "clickhouse", [
			attribute("spanward.node", node),
			attribute("clickhouse.query_id", queryId),
		]);
	};

	constructor(config: Config, log: FastifyBaseLogger) {
		this.#ratio = config.SERVICE_SELF_TRACING_SAMPLE_RATIO;
		const endpoint = config.SERVICE_SELF_TRACING_ENDPOINT;
		if (endpoint === null || this.#ratio === 0) return;
		const { SERVICE_SELF_TRACING_HEADERS: headers, SERVICE_SELF_TRACING_PROJECT: project } = config;
		this.#sender = new SpanSender({ endpoint, headers, project }, log);
		postgresStatements.subscribe(this.#onPostgres);
		clickHouseStatements.subscribe(this.#onClickHouse);
	}

	/** Whether any requests are traced. */
	get isOn(): boolean {
		return this.#sender !== undefined;
	}

	/** @returns undefined for a request that is not sampled */
	beginRequest(): TracedRequest | undefined {
		if (this.#sender === undefined || Math.random() >= this.#ratio) return undefined;
		return { traceId: newId(16), spanId: newId(8), startMs: performance.now() };
	}

	/** Runs `work`; its database statements become child spans of the request. */
	within(request: TracedRequest, work: () => void): void {
		this.#current.run(request, work);
	}

	endRequest(request: TracedRequest, method: string, route: string, status: number): void {
		this.#sender?.add({
			traceId: request.traceId,
			spanId: request.spanId,
			name: `${method} ${route}`,
			kind: SERVER,
			...timed(request.startMs, performance.now()),
			attributes: [
				attribute("http.request.method", method),
				attribute("http.route", route),
				attribute("http.response.status_code", status),
			],
			...(status >= 500 ? { status: { code: ERROR } } : {}),
		});
	}

	/** Records a span for a group of exports that an ingest thread has just committed. */
	recordGroup({ answers, written, commitMs }: GroupReport): void {
		if (this.#sender === undefined || commitMs.length === 0 || Math.random() >= this.#ratio) return;
		const now = performance.now();
		const took = commitMs.reduce((sum, ms) => sum + ms, 0);
		this.#sender.add({
			traceId: newId(16),
			spanId: newId(8),
			name: "commit exports",
			kind: INTERNAL,
			...timed(now - took, now),
			attributes: [
				attribute("spanward.exports", answers.length),
				attribute("spanward.spans", written),
				attribute("spanward.transactions", commitMs.length),
			],
		});
	}

	/** Sends the queued spans. */
	async flush(): Promise<void> {
		await this.#sender?.flush();
	}

	/** A child of the request that it belongs to; the others, such as background work, are not told. */
	#tellStatement(
		{ sql, startMs, durationMs, errorCode }: PostgresStatement | ClickHouseStatement,
		system: string,
		attributes: readonly object[],
	): void {
		const request = this.#current.getStore();
		if (request === undefined) return;
		this.#sender?.add({
			traceId: request.traceId,
			spanId: newId(8),
			parentSpanId: request.spanId,
			name: /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? "statement",
			kind: CLIENT,
			...timed(startMs, startMs + durationMs),
			attributes: [
				attribute("db.system.name", system),
				attribute("db.query.text", sql.slice(0, MOST_SQL)),
				...attributes,
				...(errorCode === undefined ? [] : [attribute("db.response.status_code", errorCode)]),
			],
			...(errorCode === undefined ? {} : { status: { code: ERROR } }),
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		postgresStatements.unsubscribe(this.#onPostgres);
		clickHouseStatements.unsubscribe(this.#onClickHouse);
		await this.#sender?.[Symbol.asyncDispose]();
	}
}

function newId(bytes: number): string {
	return randomBytes(bytes).toString("hex");
}

function timed(startMs: number, endMs: number): object {
	return { startTimeUnixNano: nanos(startMs), endTimeUnixNano: nanos(endMs) };
}

function nanos(ms: number): string {
	return `${Math.round((performance.timeOrigin + ms) * 1_000)}000`;
}
