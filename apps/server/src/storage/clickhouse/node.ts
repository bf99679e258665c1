import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ClickHouseLogLevel, type ClickHouseSettings, createClient } from "@clickhouse/client";
import { codeOf } from "#base/connection-failures.ts";
import { ClickHouseFailure, toFailure } from "./failures.ts";
import { type Columns, type RowOf, RowsCutShort, readRows } from "./row-binary.ts";

/** How this process uses the nodes of a ClickHouse. Plain data: it is sent to workers. */
export interface ClickHouseAccess {
	readonly user: string;
	readonly password: string;
	readonly database: string;
	/** PEM; the certificate of a node is always checked. */
	readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
	/** To each node. */
	readonly connections: number;
	readonly statementTimeoutMs: number;
	/** A statement may use so much memory of a node. */
	readonly queryMemoryBytes: number;
}

/** Values of a statement's `{name:Type}`. */
export type Parameters = Readonly<Record<string, ParameterValue>>;
export type ParameterValue = string | number | bigint | readonly (string | number | bigint)[];

export interface StatementOptions {
	readonly params?: Parameters;
	readonly settings?: ClickHouseSettings;
	readonly signal?: AbortSignal;
}

export interface InsertOptions {
	/** The same rows with the same token are stored once, for as long as the table's deduplication window remembers it. */
	readonly token: string;
	readonly signal?: AbortSignal;
}

/** Who waits for an answer for so long asks whether the node is there at all. */
const SILENT_AFTER_MS = 500;
/** A node that does not answer `/ping` within this time counts as gone. */
const PING_WITHIN_MS = 2_000;
/** Proxies cut addresses at 8 KB; what is longer goes as a form. */
const LONGEST_IN_ADDRESS = 4_000;
const LONGEST_MESSAGE = 64 * 1024;
/** Of one answer; readers ask in pages. */
const LARGEST_ANSWER = 256 * 1024 * 1024;

/** Settings that decide what a statement means, so that no profile of the user does. */
const MEANING: ClickHouseSettings = {
	aggregate_functions_null_for_empty: 0,
	async_insert: 0,
	date_time_output_format: "simple",
	http_write_exception_in_output_format: 0,
	insert_deduplicate: 1,
	join_use_nulls: 0,
	transform_null_in: 0,
	union_default_mode: "",
	wait_for_async_insert: 1,
	// An answer begins when all of it is known, so that no exception follows rows of a 200.
	wait_end_of_query: 1,
};

/** One ClickHouse server, asked over HTTP. */
export class ClickHouseNode implements AsyncDisposable {
	/** `host:port`, as in messages. */
	readonly name: string;
	readonly #client: ReturnType<typeof createClient>;
	readonly #settings: ClickHouseSettings;

	/** @param url of the server, without user and password; a path is kept */
	constructor(url: URL, access: ClickHouseAccess) {
		this.name = url.host;
		const { tls } = access;
		const cert = tls?.cert === undefined ? undefined : Buffer.from(tls.cert);
		const key = tls?.key === undefined ? undefined : Buffer.from(tls.key);
		this.#client = createClient({
			url: url.origin,
			pathname: url.pathname,
			username: access.user,
			password: access.password,
			database: access.database,
			max_open_connections: access.connections,
			// ClickHouse ends the statement first.
			request_timeout: access.statementTimeoutMs + PING_WITHIN_MS,
			application: "spanward",
			// It would write statements and their values to the console.
			log: { level: ClickHouseLogLevel.OFF },
			...(tls === undefined ? {} : { tls: { ca_cert: Buffer.from(tls.ca), ...(cert && key ? { cert, key } : {}) } }),
		});
		this.#settings = {
			...MEANING,
			max_execution_time: access.statementTimeoutMs / 1_000,
			max_memory_usage: String(access.queryMemoryBytes),
		};
	}

	/** Whether it answers `/ping` within 2 s. */
	async answers(signal?: AbortSignal): Promise<boolean> {
		const signals = [AbortSignal.timeout(PING_WITHIN_MS), ...(signal === undefined ? [] : [signal])];
		const { success } = await this.#client.ping({ select: false, abort_signal: AbortSignal.any(signals) });
		return success;
	}

	/**
	 * Runs a statement and returns its rows. `statement` ends without `FORMAT`; values are in `params`.
	 * @throws ClickHouseFailure
	 */
	async select<Of extends Columns>(
		statement: string,
		columns: Of,
		options: StatementOptions = {},
	): Promise<RowOf<Of>[]> {
		const { data, queryId, rows } = await this.#ask(`${statement} format RowBinary`, {
			...options,
			format: "RowBinary",
		});
		const read = decode(columns, data, queryId);
		if (rows !== undefined && rows !== read.length) {
			throw new ClickHouseFailure("foreign", `${read.length} rows of ${rows} reached us from query ${queryId}`);
		}
		return read;
	}

	/** Runs a statement that answers no rows. @throws ClickHouseFailure */
	async execute(statement: string, options: StatementOptions = {}): Promise<void> {
		await this.#ask(statement, options);
	}

	/**
	 * Stores rows, all or none of them where they are of one partition. The table's columns are named by `columns`.
	 * @param rows in RowBinary
	 * @throws ClickHouseFailure
	 */
	async insert(table: string, columns: Columns, rows: Buffer, { token, signal }: InsertOptions): Promise<void> {
		const names = Object.keys(columns).join(", ");
		const { queryId, written } = await this.#ask(`insert into ${table} (${names}) format RowBinary`, {
			body: { data: rows, type: "application/octet-stream" },
			settings: { insert_deduplication_token: token },
			...(signal === undefined ? {} : { signal }),
		});
		// Repeats that are dropped count as written, too.
		if (written === 0)
			throw new ClickHouseFailure("uncertain", `query ${queryId} was answered, and has written nothing`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#client.close();
	}

	async #ask(statement: string, options: Asked): Promise<Answer> {
		const queryId = randomUUID();
		const silence = new AbortController();
		const answered = new AbortController();
		const signals = [silence.signal, ...(options.signal === undefined ? [] : [options.signal])];
		const watching = this.#watchSilence(answered.signal, silence);
		try {
			return await this.#exchange(statement, queryId, { ...options, signal: AbortSignal.any(signals) });
		} catch (error) {
			if (options.signal?.aborted === true) throw options.signal.reason;
			if (silence.signal.aborted) throw new ClickHouseFailure("unreachable", `ClickHouse at ${this.name} is silent`);
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

	async #exchange(statement: string, queryId: string, options: Asked): Promise<Answer> {
		const params = Object.entries(options.params ?? {}).map(([name, value]) => [name, formatParameter(value)] as const);
		const isLong =
			params.reduce((sum, [name, text]) => sum + name.length + encodeURIComponent(text).length, 0) > LONGEST_IN_ADDRESS;
		const body = isLong ? await formOf(params) : options.body;
		const asked = {
			query: statement,
			query_id: queryId,
			clickhouse_settings: { ...this.#settings, ...options.settings },
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
		const { result_rows, written_rows } = answer.summary ?? {};
		return { data, queryId, rows: toNumber(result_rows), written: toNumber(written_rows) };
	}
}

interface Asked extends StatementOptions {
	readonly body?: { readonly data: Buffer; readonly type: string };
	/** Of the answer, when it has rows. */
	readonly format?: string;
}

interface Answer {
	readonly data: Buffer;
	readonly queryId: string;
	/** Rows of the answer, and those that were stored, as ClickHouse counts them. */
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
		if (length > largest) throw new ClickHouseFailure("statement", `an answer of more than ${largest} bytes`);
	}
	return Buffer.concat(chunks, length);
}

/** Parameters as a form, as ClickHouse takes them too. */
async function formOf(params: readonly (readonly [string, string])[]): Promise<{ data: Buffer; type: string }> {
	const form = new FormData();
	for (const [name, text] of params) form.set(`param_${name}`, text);
	const encoded = new Response(form);
	const type = encoded.headers.get("content-type") ?? "multipart/form-data";
	return { data: Buffer.from(await encoded.arrayBuffer()), type };
}

/** As in the format TabSeparated: https://clickhouse.com/docs/interfaces/http#tabs-in-url-parameters */
function formatParameter(value: ParameterValue): string {
	if (typeof value === "string") return escapeText(value);
	if (typeof value === "number" || typeof value === "bigint") return String(value);
	const parts = value.map((part) => (typeof part === "string" ? `'${escapeText(part)}'` : String(part)));
	return `[${parts.join(",")}]`;
}

const ESCAPES: Readonly<Record<string, string>> = {
	"\\": "\\\\",
	"'": "\\'",
	"\t": "\\t",
	"\n": "\\n",
	"\r": "\\r",
	"\0": "\\0",
};

function escapeText(text: string): string {
	return text.replaceAll(/[\\'\t\n\r\0]/g, (character) => ESCAPES[character] ?? character);
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
