import { randomUUID } from "node:crypto";
import { Agent } from "node:https";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ClickHouseLogLevel, createClient, type ClickHouseSettings as StatementSettings } from "@clickhouse/client";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { codeOf } from "#base/connection-failures.ts";
import { readersGone } from "#base/readers-gone.ts";
import { ClickHouseFailure, exceptionBehind, NodeIsSilent, toFailure } from "./failures.ts";
import { consistencySettings, insertSettings } from "./insert-settings.ts";
import { type BoundStatement, bindParameters } from "./parameters.ts";
import { type Columns, type RowOf, RowsCutShort, readRows, types } from "./row-binary.ts";
import { ABANDONED, type StatementDone, type StatementKind, statementsDone } from "./statement-channel.ts";

/** What a connection to a node needs of the settings. */
export type ClickHouseAccess = Pick<
	ClickHouseSettings,
	| "user"
	| "password"
	| "database"
	| "tls"
	| "connections"
	| "statementTimeoutMs"
	| "queryMemoryBytes"
	| "asyncInsert"
	| "insertQuorum"
	| "maxReplicaDelaySeconds"
	| "reads"
	| "topology"
>;

/** Values of a statement's `{name:Type}`. */
export type Parameters = Readonly<Record<string, ParameterValue>>;
export type ParameterValue = string | number | bigint | readonly (string | number | bigint)[];

export interface StatementOptions {
	readonly params?: Parameters;
	readonly settings?: StatementSettings;
	readonly signal?: AbortSignal;
	/** Time for the statement and its answer; that of `ClickHouseAccess`, about, when absent. */
	readonly withinMs?: number;
	/** Asks how the node fares, for nobody's data: not among the statements that metrics count. */
	readonly isProbe?: boolean;
}

export interface InsertOptions {
	/** The same rows with the same token are stored once, for as long as the table's deduplication window remembers it. */
	readonly token: string;
	readonly signal?: AbortSignal;
	/** Whether it was sent before. */
	readonly isRepeat?: boolean;
}

/** Who waits for an answer for so long asks whether the node is there at all. */
const SILENT_AFTER_MS = 500;
/** A node that does not answer `/ping` within this time counts as gone. */
const PING_WITHIN_MS = 2_000;
/** The last part of this time is for a second attempt. */
const LAST_PING_MS = 250;
/** Proxies cut addresses at 8 KB; what is longer goes as a form. */
const LONGEST_IN_ADDRESS = 4_000;
const LONGEST_MESSAGE = 64 * 1024;
/** Of one answer; readers ask in pages. */
const LARGEST_ANSWER = 256 * 1024 * 1024;
const MOST_ROWS = 1_000_000;

/** Settings that decide what a statement means, so that no profile of the user does. */
const MEANING: StatementSettings = {
	aggregate_functions_null_for_empty: 0,
	async_insert: 0,
	date_time_output_format: "simple",
	empty_result_for_aggregation_by_empty_set: 0,
	http_write_exception_in_output_format: 0,
	insert_deduplicate: 1,
	join_default_strictness: "ALL",
	join_use_nulls: 0,
	limit: "0",
	offset: "0",
	prefer_column_name_to_alias: 0,
	transform_null_in: 0,
	union_default_mode: "",
	use_query_cache: 0,
	wait_for_async_insert: 1,
	// Who reaches a limit fails, and answers no part of the truth.
	distinct_overflow_mode: "throw",
	group_by_overflow_mode: "throw",
	join_overflow_mode: "throw",
	partial_result_on_first_cancel: 0,
	read_overflow_mode: "throw",
	read_overflow_mode_leaf: "throw",
	result_overflow_mode: "throw",
	set_overflow_mode: "throw",
	skip_unavailable_shards: 0,
	sort_overflow_mode: "throw",
	timeout_overflow_mode: "throw",
	timeout_overflow_mode_leaf: "throw",
	transfer_overflow_mode: "throw",
	// An answer begins when all of it is known, so that no exception follows rows of a 200.
	wait_end_of_query: 1,
};

/** Of statements that change nothing. */
const READING: StatementSettings = {
	cancel_http_readonly_queries_on_client_close: 1,
	max_result_bytes: String(LARGEST_ANSWER),
	max_result_rows: String(MOST_ROWS),
	// 2 lets our own settings through.
	readonly: "2",
};

/** One ClickHouse server, asked over HTTP. */
export class ClickHouseNode implements AsyncDisposable {
	/** `host:port`, as in messages. */
	readonly name: string;
	readonly #client: ReturnType<typeof createClient>;
	/** For `/ping` alone, which would otherwise wait while statements use all connections. */
	readonly #pinging: ReturnType<typeof createClient>;
	readonly #settings: StatementSettings;
	readonly #reading: StatementSettings;
	readonly #inserting: StatementSettings;
	/** Whether an answer to an insert says how many rows it has stored. */
	readonly #countsInserted: boolean;
	readonly #closing = new AbortController();
	#ping: Promise<boolean> | undefined;
	readonly #statementTimeoutMs: number;

	/** @param url of the server, without user and password; a path is kept */
	constructor(url: URL, access: ClickHouseAccess) {
		this.name = url.host;
		const { tls } = access;
		const common = {
			url: url.origin,
			pathname: url.pathname,
			username: access.user,
			password: access.password,
			database: access.database,
			application: "spanward",
			// It would write statements and their values to the console.
			log: { level: ClickHouseLogLevel.OFF },
		};
		const withTls = (connections: number) =>
			tls === undefined ? {} : withCertificates({ ...access, connections }, tls);
		this.#client = createClient({
			...common,
			...withTls(access.connections),
			max_open_connections: access.connections,
			// ClickHouse ends the statement first.
			request_timeout: access.statementTimeoutMs + PING_WITHIN_MS,
		});
		this.#pinging = createClient({ ...common, ...withTls(1), max_open_connections: 1 });
		this.#statementTimeoutMs = access.statementTimeoutMs;
		this.#settings = {
			...MEANING,
			max_memory_usage: String(access.queryMemoryBytes),
		};
		this.#reading = { ...READING, ...consistencySettings(access.topology) };
		this.#inserting = insertSettings(access);
		// Those that are gathered are counted where they are stored.
		this.#countsInserted = access.asyncInsert !== true;
	}

	/** Whether it answers `/ping` within 2 s; false when nobody waits any more. Who asks meanwhile shares the answer. */
	async answers(signal?: AbortSignal): Promise<boolean> {
		this.#ping ??= this.#pingTwice().finally(() => {
			this.#ping = undefined;
		});
		return await unless(signal, this.#ping);
	}

	/**
	 * A server may have closed an idle connection in the moment when it was used, and this thread may have had no time to
	 * see the answer.
	 */
	async #pingTwice(): Promise<boolean> {
		const ping = async (withinMs: number) => {
			const signal = AbortSignal.any([AbortSignal.timeout(withinMs), this.#closing.signal]);
			return (await this.#pinging.ping({ select: false, abort_signal: signal })).success;
		};
		return (await ping(PING_WITHIN_MS - LAST_PING_MS)) || (await ping(LAST_PING_MS));
	}

	/**
	 * Runs a statement that changes nothing and returns its rows. `statement` ends without `FORMAT`; values are in `params`.
	 * When the signal is aborted, or its readers have gone, the statement ends, too.
	 * @throws ClickHouseFailure
	 */
	async select<Of extends Columns>(
		statement: string,
		columns: Of,
		options: StatementOptions = {},
	): Promise<RowOf<Of>[]> {
		const { signal = readersGone.getStore() } = options;
		const { data, queryId, rows } = await this.#tell("select", `${statement} format RowBinary`, {
			...options,
			...(signal === undefined ? {} : { signal }),
			settings: { ...this.#reading, ...options.settings },
			format: "RowBinary",
		});
		const read = decode(columns, data, queryId);
		if (rows !== undefined && rows !== read.length) {
			throw new ClickHouseFailure("foreign", `${read.length} rows of ${rows} reached us from query ${queryId}`);
		}
		return read;
	}

	/**
	 * Whether the user has a right, such as `insert on traces.*`.
	 * @throws ClickHouseFailure; of the kind `statement` where the server does not know how to tell
	 */
	async isGranted(right: string): Promise<boolean> {
		// The statement takes no format, and the client does not know RowBinary as a default. Who only reads has no rights to
		// write.
		const format = "TabSeparated";
		const { data } = await this.#tell("select", `check grant ${right}`, {
			settings: { default_format: format },
			format,
		});
		return data.toString().trim() === "1";
	}

	/**
	 * Names of settings that decide what a statement means, and that the user's profile sets otherwise than statements are
	 * sent with. @throws ClickHouseFailure
	 */
	async listOverriddenSettings(): Promise<string[]> {
		const names = Object.keys(MEANING);
		const { data, queryId } = await this.#tell(
			"select",
			`select name, value from system.settings where changed and name in (${names.map((name) => `'${name}'`).join(", ")}) format RowBinary`,
			{ format: "RowBinary", asTheProfileHasIt: true },
		);
		return decode({ name: types.Text, value: types.Text }, data, queryId)
			.filter(({ name, value }) => String(MEANING[name]) !== value)
			.map(({ name }) => name)
			.sort();
	}

	/** Runs a statement that answers no rows. @throws ClickHouseFailure */
	async execute(statement: string, options: StatementOptions = {}): Promise<void> {
		await this.#tell("change", statement, options);
	}

	/**
	 * Stores rows, all or none of them where they are of one partition. The table's columns are named by `columns`.
	 * @param rows in RowBinary
	 * @throws ClickHouseFailure
	 */
	async insert(table: string, columns: Columns, rows: Buffer, options: InsertOptions): Promise<void> {
		const { token, signal, isRepeat = false } = options;
		const names = Object.keys(columns).join(", ");
		const { queryId, written } = await this.#tell("insert", `insert into ${table} (${names}) format RowBinary`, {
			isRepeat,
			body: { data: rows, type: "application/octet-stream" },
			settings: { ...this.#inserting, insert_deduplication_token: token },
			...(signal === undefined ? {} : { signal }),
		});
		// Repeats that are dropped count as written, too.
		if (written === 0 && this.#countsInserted)
			throw new ClickHouseFailure("uncertain", `query ${queryId} was answered, and has written nothing`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort();
		await this.#ping;
		await Promise.all([this.#client.close(), this.#pinging.close()]);
	}

	/** Asks, and publishes how it ended. */
	async #tell(kind: StatementKind, sql: string, options: Asked): Promise<Answer> {
		const queryId = randomUUID();
		if (!statementsDone.hasSubscribers) return await this.#ask(sql, queryId, options);
		const startMs = performance.now();
		const tell = (how: Pick<StatementDone, "rowsRead" | "rowsWritten" | "errorCode">) => {
			const { isRepeat = false, isProbe = false } = options;
			const durationMs = performance.now() - startMs;
			const done = { node: this.name, kind, sql, queryId, startMs, durationMs, isRepeat, isProbe, ...how };
			statementsDone.publish(done satisfies StatementDone);
		};
		try {
			const answer = await this.#ask(sql, queryId, options);
			tell({ rowsRead: answer.read ?? 0, rowsWritten: answer.written ?? 0 });
			return answer;
		} catch (error) {
			const none = { rowsRead: 0, rowsWritten: 0 };
			if (error instanceof ClickHouseFailure) tell({ ...none, errorCode: String(error.code ?? error.kind) });
			else if (options.signal?.aborted === true) tell({ ...none, errorCode: ABANDONED });
			throw error;
		}
	}

	async #ask(statement: string, queryId: string, options: Asked): Promise<Answer> {
		const bound = bindParameters(statement, options.params ?? {});
		const silence = new AbortController();
		const answered = new AbortController();
		const late =
			options.withinMs === undefined ? undefined : AbortSignal.timeout(Math.max(1, Math.ceil(options.withinMs)));
		const signals = [silence.signal, options.signal, late].filter((signal) => signal !== undefined);
		const watching = this.#watchSilence(answered.signal, silence);
		try {
			return await this.#exchange(bound, queryId, { ...options, signal: AbortSignal.any(signals) });
		} catch (error) {
			if (options.signal?.aborted === true) throw options.signal.reason;
			if (late?.aborted === true) throw new ClickHouseFailure("too_slow", `query ${queryId} took too long`);
			if (silence.signal.aborted) throw new NodeIsSilent(this.name);
			if (error instanceof ClickHouseFailure) throw error;
			const reason = codeOf(error) || "no answer";
			throw new ClickHouseFailure("unreachable", `no connection to ClickHouse at ${this.name}: ${reason}`);
		} finally {
			answered.abort();
			await watching;
		}
	}

	/** Ends the wait for an answer when the server does not answer `/ping` either. */
	async #watchSilence(answered: AbortSignal, silence: AbortController): Promise<void> {
		while (await passes(SILENT_AFTER_MS, answered)) {
			if ((await this.answers(answered)) || answered.aborted) continue;
			silence.abort();
			return;
		}
	}

	/** In whole seconds, as ClickHouse looks at the time now and then; 0 would be no limit. */
	#timeLimit({ withinMs = this.#statementTimeoutMs }: StatementOptions): StatementSettings {
		return { max_execution_time: Math.max(1, Math.ceil(Math.min(withinMs, this.#statementTimeoutMs) / 1_000)) };
	}

	async #exchange(bound: BoundStatement, queryId: string, options: Asked): Promise<Answer> {
		const isLong = !fitsInAddress(bound);
		const body = isLong ? await formOf(bound) : options.body;
		const asked = {
			query: isLong ? "" : bound.statement,
			query_id: queryId,
			clickhouse_settings:
				options.asTheProfileHasIt === true
					? {}
					: { ...this.#settings, ...this.#timeLimit(options), ...options.settings },
			...(isLong ? {} : { query_params: options.params ?? {} }),
			...(options.signal === undefined ? {} : { abort_signal: options.signal }),
			ignore_error_response: true,
		};
		const answer = await (body === undefined
			? this.#client.exec(asked)
			: this.#client.exec({
					...asked,
					values: Readable.from([body.data]),
					http_headers: { "Content-Type": body.type },
				}));
		const header = (name: string) => {
			const value = answer.response_headers[name];
			return Array.isArray(value) ? value.join() : value;
		};
		const status = answer.http_status_code ?? 0;
		const code = Number(header("x-clickhouse-exception-code") ?? Number.NaN);
		if (!Number.isNaN(code)) {
			const text = await readBody(answer.stream, LONGEST_MESSAGE);
			throw toFailure(code, text.toString(), queryId);
		}
		if (status !== 200 || header("x-clickhouse-query-id") === undefined || isOtherFormat(header, options.format)) {
			answer.stream.destroy();
			throw new ClickHouseFailure("foreign", `what answers at ${this.name} is not ClickHouse: status ${status}`);
		}
		const data = await readBody(answer.stream, LARGEST_ANSWER);
		const failure = exceptionBehind(data, header("x-clickhouse-exception-tag"), queryId);
		if (failure !== undefined) throw failure;
		const { read_rows, result_rows, written_rows } = answer.summary ?? {};
		return {
			...{ data, queryId, read: toNumber(read_rows) },
			...{ rows: toNumber(result_rows), written: toNumber(written_rows) },
		};
	}
}

/**
 * The client's own way takes certificates only together with an authority. A certificate logs the user in, without a
 * password: https://clickhouse.com/docs/guides/sre/ssl-user-auth#4-testing-http
 */
function withCertificates({ user, connections }: ClickHouseAccess, tls: NonNullable<ClickHouseAccess["tls"]>) {
	const http_agent = new Agent({ ...tls, keepAlive: true, maxSockets: connections });
	if (tls.cert === undefined) return { http_agent };
	const http_headers = { "X-ClickHouse-User": user, "X-ClickHouse-SSL-Certificate-Auth": "on" };
	return { http_agent, http_headers, set_basic_auth_header: false };
}

interface Asked extends StatementOptions {
	readonly body?: { readonly data: Buffer; readonly type: string };
	/** Of the answer, when it has rows. */
	readonly format?: string;
	/** Without any of our settings. */
	readonly asTheProfileHasIt?: boolean;
	readonly isRepeat?: boolean;
}

interface Answer {
	readonly data: Buffer;
	readonly queryId: string;
	/** Rows that were read, those of the answer, and those that were stored, as ClickHouse counts them. */
	readonly read: number | undefined;
	readonly rows: number | undefined;
	readonly written: number | undefined;
}

function decode<Of extends Columns>(columns: Of, data: Buffer, queryId: string): RowOf<Of>[] {
	try {
		return readRows(columns, data);
	} catch (error) {
		if (!(error instanceof RowsCutShort)) throw error;
		throw new ClickHouseFailure("foreign", `${error.message}, of query ${queryId}`);
	}
}

function isOtherFormat(header: (name: string) => string | undefined, expected: string | undefined): boolean {
	return expected !== undefined && header("x-clickhouse-format") !== expected;
}

function toNumber(text: string | undefined): number | undefined {
	return text === undefined ? undefined : Number(text);
}

async function readBody(stream: Readable, largest: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of stream) {
		chunks.push(chunk);
		length += chunk.length;
		// Leaving the loop ends the connection.
		if (length > largest) throw new ClickHouseFailure("memory", `an answer of more than ${largest} bytes`);
	}
	return Buffer.concat(chunks, length);
}

function fitsInAddress({ fields, isChanged }: BoundStatement): boolean {
	if (isChanged || fields.reduce((sum, [, text]) => sum + text.length, 0) > LONGEST_IN_ADDRESS) return false;
	const length = fields.reduce((sum, [name, text]) => sum + name.length + encodeURIComponent(text).length, 0);
	return length <= LONGEST_IN_ADDRESS;
}

/** Statement and parameters as a form, as ClickHouse takes them too. */
async function formOf({ statement, fields }: BoundStatement): Promise<{ data: Buffer; type: string }> {
	const form = new FormData();
	form.set("query", statement);
	for (const [name, text] of fields) form.set(`param_${name}`, text);
	const encoded = new Response(form);
	const type = encoded.headers.get("content-type") ?? "multipart/form-data";
	return { data: Buffer.from(await encoded.arrayBuffer()), type };
}

/** False when the signal comes first. */
async function unless(signal: AbortSignal | undefined, answer: Promise<boolean>): Promise<boolean> {
	if (signal === undefined) return await answer;
	const left = Promise.withResolvers<boolean>();
	const leave = () => left.resolve(false);
	if (signal.aborted) leave();
	signal.addEventListener("abort", leave);
	try {
		return await Promise.race([answer, left.promise]);
	} finally {
		signal.removeEventListener("abort", leave);
	}
}

/** Whether the time passed before the signal. */
async function passes(ms: number, signal: AbortSignal): Promise<boolean> {
	try {
		await sleep(ms, undefined, { signal, ref: false });
		return true;
	} catch (error) {
		if (!signal.aborted) throw error;
		return false;
	}
}
