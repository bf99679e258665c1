import type { Config } from "#base/config.ts";
import type { Storage } from "#storage/storage.ts";
import { printable } from "../printable.ts";
import type { PhoenixSource, SourceRow } from "./source.ts";
import { nameOf, textOf } from "./values.ts";

/** How many things of one kind were read and written; the others existed already or were left out. */
export interface Carried {
	read: number;
	written: number;
}

const MAX_REASON = 2_000;

/** The results of the import, for the user. */
export class ImportReport {
	readonly carried = new Map<string, Carried>();
	/** A sentence for each kind of thing that was not imported. */
	readonly notCarried: string[] = [];
	/** Counts of things left out, by reason. */
	readonly left = new Map<string, number>();

	count(kind: string, read: number, written: number): void {
		const known = this.carried.get(kind) ?? { read: 0, written: 0 };
		this.carried.set(kind, { read: known.read + read, written: known.written + written });
	}

	/** Counts things left out for a reason, so that thousands make one line. Escapes control characters in it. */
	leave(reason: string, count = 1): void {
		const shown = printable(reason.slice(0, MAX_REASON));
		if (count > 0) this.left.set(shown, (this.left.get(shown) ?? 0) + count);
	}

	/** Cuts a text longer than `max` characters, and counts that. */
	textOf(value: SourceRow[string] | undefined, max: number): string | null {
		const text = textOf(value)?.toWellFormed() ?? null;
		if (text === null || text.length <= max) return text;
		this.leave(`full texts of more than ${max} characters: they were cut`);
		return `${text.slice(0, max - 1).toWellFormed()}…`;
	}

	/** The name of a row; undefined, and counted, if it is not a valid name. */
	nameOf(row: SourceRow, what: string): string | undefined {
		const name = nameOf(row["name"]);
		if (name === undefined) this.leave(`${what} whose name is empty or longer than 1,000 characters`);
		return name;
	}

	finish(): this {
		for (const [reason, count] of this.left) this.notCarried.push(`${count} ${reason}`);
		this.left.clear();
		return this;
	}
}

/** Whether a database refused to store a row: https://www.sqlite.org/rescode.html, classes 22, 23, 54 of SQLSTATE. */
export function isRefusedRow(error: unknown): error is Error {
	if (!(error instanceof Error)) return false;
	if ("errcode" in error && typeof error.errcode === "number") return [18, 19, 20].includes(error.errcode & 0xff);
	return "code" in error && typeof error.code === "string" && /^(22|23|54)[0-9A-Z]{3}$/.test(error.code);
}

/** The source, target and state of an import. */
export interface Import {
	readonly source: PhoenixSource;
	readonly storage: Storage;
	readonly config: Config;
	readonly report: ImportReport;
	readonly onProgress: (what: string, done: number) => void;
	/** Spanward's row numbers by Phoenix's. */
	readonly users: Map<number, number>;
	/** Spanward's row numbers by name. */
	readonly projects: Map<string, number>;
}
