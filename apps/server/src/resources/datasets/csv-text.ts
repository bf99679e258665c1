import { UserError } from "#base/errors.ts";
import { csvLine } from "#http/csv-line.ts";
import { BUCKETS } from "./columns.ts";
import type { DownloadedExample } from "./downloaded-example.ts";

const MAX_COLUMNS = 5_000;
/** Characters of a column name, a path of keys: one long key around many short ones would be repeated in all of them. */
const MAX_COLUMN_NAME = 2_000;

/** The columns of all examples of a download, which are known only after reading each of them. */
export class CsvColumns {
	readonly #names = new Set<string>();
	readonly #escapeFormulas: boolean;
	#hasSplits = false;

	constructor({ escapeFormulas }: { escapeFormulas: boolean }) {
		this.#escapeFormulas = escapeFormulas;
	}

	/** @throws UserError 422 when there are too many columns, or their names are too long */
	collect(examples: readonly DownloadedExample[]): void {
		for (const example of examples) {
			for (const name of cellsOf(example).keys()) this.#names.add(name);
			if (example.splits.length > 0) this.#hasSplits = true;
			if (this.#names.size > MAX_COLUMNS) throw tooManyColumns();
		}
	}

	/** The lines of the file (RFC 4180). */
	async *lines(chunks: AsyncIterable<readonly DownloadedExample[]>): AsyncGenerator<string> {
		const names = BUCKETS.flatMap((bucket) => [...this.#names].filter((name) => name.startsWith(`${bucket}.`)));
		yield this.#line(["id", "node_id", ...names, ...(this.#hasSplits ? ["splits"] : [])]);
		for await (const examples of chunks) {
			yield examples.map((example) => this.#row(example, names)).join("");
		}
	}

	#row(example: DownloadedExample, names: readonly string[]): string {
		const cells = cellsOf(example);
		return this.#line([
			example.id,
			example.node_id,
			...names.map((name) => cells.get(name) ?? ""),
			...(this.#hasSplits ? [JSON.stringify(example.splits)] : []),
		]);
	}

	#line(cells: readonly string[]): string {
		return csvLine(cells, { escapeFormulas: this.#escapeFormulas });
	}
}

/**
 * The values of an example by column: objects are flattened, lists are JSON.
 * @throws UserError 422 when there are too many columns, or their names are too long
 */
function cellsOf(example: DownloadedExample): Map<string, string> {
	const cells = new Map<string, string>();
	const add = (name: string, value: unknown): void => {
		if (value === null || value === undefined) return;
		if (name.length > MAX_COLUMN_NAME || cells.size > MAX_COLUMNS) throw tooManyColumns();
		if (typeof value === "string") cells.set(name, value);
		else if (typeof value !== "object" || Array.isArray(value) || JSON.isRawJSON(value)) {
			cells.set(name, JSON.stringify(value));
		} else for (const [key, member] of Object.entries(value)) add(`${name}.${key}`, member);
	};
	for (const bucket of BUCKETS) add(bucket, example[bucket]);
	return cells;
}

function tooManyColumns(): UserError {
	return new UserError(
		422,
		"too_many_columns",
		`The examples have more than ${MAX_COLUMNS} different keys, or keys longer than ${MAX_COLUMN_NAME} characters; download them as JSONL.`,
	);
}
