import { hash } from "node:crypto";
import { storableText } from "#storage/postgres/storable-text.ts";
import { DAY_MICROS, dayOf as dayOfTime } from "#storage/traces/postgres/periods.ts";
import { exactPico } from "#storage/traces/totals/cost-pico.ts";
import type { Checksum } from "../side.ts";
import type { CopiedTable, Row, Value } from "../tables.ts";

const HOURS_OF_DAY = 24;

/**
 * Counts and SHA-256 of the rows of a table, by project and day. Each row is hashed with the hash of those before it, so
 * that a day takes 32 bytes.
 */
export class DailyChecksums {
	readonly #table: CopiedTable;
	readonly #days = new Map<string, { rows: number; digest: Uint8Array }>();
	readonly #nameOf = namesOfDays();

	constructor(table: CopiedTable) {
		this.#table = table;
	}

	/** Rows come in the order of their keys. NUL counts as what PostgreSQL stores in its place. */
	addAll(rows: readonly Row[]): void {
		for (const row of rows) this.#add(row);
	}

	/** Of all days. */
	get sum(): Checksum {
		const sorted = [...this.#days].toSorted(([a], [b]) => (a < b ? -1 : 1));
		const text = sorted.map(([day, { rows, digest }]) => `${day} ${rows} ${Buffer.from(digest).toString("hex")}\n`);
		return {
			rows: sorted.reduce((sum, [, { rows }]) => sum + rows, 0),
			sha256: hash("sha256", text.join("")),
		};
	}

	/** The first day on which the other has other rows. */
	findDifference(other: DailyChecksums): { day: string; rows: number; otherRows: number } | undefined {
		for (const day of [...new Set([...this.#days.keys(), ...other.#days.keys()])].sort()) {
			const [own, theirs] = [this.#days.get(day), other.#days.get(day)];
			const isSame = own !== undefined && theirs !== undefined && Buffer.compare(own.digest, theirs.digest) === 0;
			if (!isSame) return { day, rows: own?.rows ?? 0, otherRows: theirs?.rows ?? 0 };
		}
		return undefined;
	}

	#add(row: Row): void {
		const day = dayOf(this.#table, row, this.#nameOf);
		const known = this.#days.get(day);
		const digest = digestOf(known?.digest, comparable(this.#table, row), this.#table.columns);
		this.#days.set(day, { rows: (known?.rows ?? 0) + 1, digest });
	}
}

/** The project and day of a row; of log records, the day alone. */
function dayOf({ name }: CopiedTable, row: Row, nameOf: (micros: number) => string): string {
	if (name === "log_records") return nameOf(Number(row["time_micros"]));
	const micros =
		name === "hours" ? Math.floor(Number(row["hour"]) / HOURS_OF_DAY) * DAY_MICROS : Number(row["start_micros"]);
	return `project ${row["project_id"]}, ${nameOf(micros)}`;
}

/** Names the day of a time, faster for the day that it has named last. */
function namesOfDays(): (micros: number) => string {
	let last = { from: 0, name: "1970-01-01" };
	return (micros) => {
		const from = dayOfTime(micros);
		if (from !== last.from) last = { from, name: new Date(from / 1_000).toISOString().split("T")[0] ?? "" };
		return last.name;
	};
}

/** With the values of a sum, which other orders of addition, or another split of costs, leave the same. */
function comparable({ name }: CopiedTable, row: Row): Row {
	if (name !== "sessions" && name !== "hours") return row;
	const sums = ["tokens_prompt", "tokens_completion", "tokens_total"].map((column) => [
		column,
		Number.isSafeInteger(row[column]) ? (row[column] ?? null) : "too much",
	]);
	const pico = exactPico({ micro: Number(row["cost_micro"]), pico: Number(row["cost_pico"]) });
	const cost_pico = pico === undefined ? "too much" : String(pico);
	return { ...row, ...Object.fromEntries(sums), cost_micro: null, cost_pico };
}

/** The hash of a row and of those before it. Numbers and texts come first, bytes after all of them. */
function digestOf(before: Uint8Array | undefined, row: Row, columns: readonly string[]): Uint8Array {
	const bytes: Uint8Array[] = [];
	let text = "";
	for (const column of columns) {
		const value: Value = row[column] ?? null;
		if (value === null) text += "n;";
		else if (typeof value === "number") text += `d${Object.is(value, -0) ? 0 : value};`;
		else if (typeof value === "string") text += `t${value.length}:${storableText(value)}`;
		else {
			text += `b${value.length};`;
			bytes.push(value);
		}
	}
	// One call for each row, as objects that hash step by step cost a copy a twelfth of its time.
	const length = (before?.length ?? 0) + 3 * text.length + bytes.reduce((sum, part) => sum + part.length, 0);
	const room = Buffer.allocUnsafe(length);
	let end = 0;
	const add = (part: Uint8Array) => {
		room.set(part, end);
		end += part.length;
	};
	if (before !== undefined) add(before);
	end += room.write(text, end);
	for (const part of bytes) add(part);
	return hash("sha256", room.subarray(0, end), "buffer");
}
