import type pg from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { present } from "#base/present.ts";
import { Semaphore } from "#base/semaphore.ts";
import { connectionConfig, makeClient } from "#storage/postgres/connection.ts";
import { toStorageError } from "#storage/postgres/storage-errors.ts";
import { packLogRecord } from "../content/log-record.ts";
import { packBatch } from "../content/pack-batch.ts";
import {
	ANY_PROJECT,
	type NormalizedLogRecord,
	type NormalizedSpan,
	type ReadTexts,
	type TraceWriter,
	type WriteResult,
} from "../span-batch.ts";
import { DailyMonths } from "./daily-months.ts";
import { RowNumbers } from "./row-numbers.ts";
import { HourRows } from "./write/hour-rows.ts";
import { storableSpan } from "./write/storable-span.ts";
import { writeBatch } from "./write/write-batch.ts";
import { changeTotals, WriteTransaction } from "./write/write-transaction.ts";

export interface PostgresWriterOptions {
	readonly kind: "postgres";
	readonly settings: PostgresSettings;
}

export function openPostgresTraceWriter(options: PostgresWriterOptions, readTexts: ReadTexts): PostgresTraceWriter {
	return new PostgresTraceWriter(options.settings, readTexts);
}

/** Senders time out at about this time and send again. */
const LONGEST_STATEMENT_MS = 10_000;

/**
 * How old the knowledge may be which months are partitioned by day. What was written with older knowledge is found
 * all the same, but keeps its day from being dropped as a whole.
 */
const KNOWN_MS = 300_000;

/** State that a connection keeps between transactions. */
interface Connection {
	readonly client: pg.Client;
	readonly numbers: RowNumbers;
	readonly hours: HourRows;
	usable: boolean;
}

/**
 * Writes on its own connection, opened by the first write. After a failure the next write opens a new one; whether the
 * failed write was committed is then unknown, and sending it again is harmless.
 */
export class PostgresTraceWriter implements TraceWriter {
	readonly #settings: PostgresSettings;
	readonly #readTexts: ReadTexts;
	readonly #mutex = new Semaphore(1);
	#connection: Connection | undefined;
	#months: { readonly daily: DailyMonths; readonly readAt: number } | undefined;

	constructor(settings: PostgresSettings, readTexts: ReadTexts) {
		this.#settings = settings;
		this.#readTexts = readTexts;
	}

	async write(
		spans: readonly NormalizedSpan[],
		logs: readonly NormalizedLogRecord[],
		projects = ANY_PROJECT,
	): Promise<WriteResult> {
		const months = await this.#dailyMonths();
		const batch = packBatch(spans.map(storableSpan), {
			partOf: (span) => months.keyOf(span.start.micros),
			signed: this.#settings.textIndex,
		});
		const packedLogs = logs.map(packLogRecord);
		return this.#mutex.run(async () => {
			const connection = await this.#connect();
			const { client, numbers, hours } = connection;
			try {
				const toWrite = { batch, months, logs: packedLogs, numbers, projects };
				const open = () => new WriteTransaction(client, this.#readTexts);
				return await changeTotals(client, open, (it) => writeBatch(it, toWrite), hours);
			} catch (error) {
				const shown = toStorageError(error);
				if (shown !== error) this.#drop(connection);
				throw shown;
			}
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#mutex.run(async () => {
			const connection = this.#connection;
			this.#connection = undefined;
			if (connection?.usable) await connection.client.end();
		});
	}

	async #dailyMonths(): Promise<DailyMonths> {
		if (this.#months === undefined || performance.now() - this.#months.readAt >= KNOWN_MS)
			await this.#mutex.run(async () => {
				const connection = await this.#connect();
				try {
					this.#months = { daily: await DailyMonths.read(connection.client), readAt: performance.now() };
				} catch (error) {
					this.#drop(connection);
					throw toStorageError(error);
				}
			});
		return present(this.#months, "the months that are partitioned by day").daily;
	}

	async #connect(): Promise<Connection> {
		if (this.#connection?.usable) return this.#connection;
		const statementTimeoutMs = Math.min(
			this.#settings.statementTimeoutMs || LONGEST_STATEMENT_MS,
			LONGEST_STATEMENT_MS,
		);
		const use = { name: "ingest", statementTimeoutMs, readsFewRows: true };
		const config = connectionConfig(this.#settings, this.#settings.primary, use);
		// A broken network gives no answer at all.
		const client = makeClient({ ...config, query_timeout: statementTimeoutMs + 1_000 });
		let usable = true;
		client.on("error", () => {
			usable = false;
			if (this.#connection?.client === client) this.#connection.usable = false;
		});
		try {
			await client.connect();
			const hours = await HourRows.claim(client);
			this.#connection = { client, numbers: new RowNumbers(), hours, usable };
			return this.#connection;
		} catch (error) {
			client.end().catch(() => undefined);
			throw toStorageError(error);
		}
	}

	#drop(connection: Connection): void {
		connection.usable = false;
		if (this.#connection === connection) this.#connection = undefined;
		// This may wait for a server that does not answer.
		connection.client.end().catch(() => undefined);
	}
}
