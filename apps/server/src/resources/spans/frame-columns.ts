import { TableTime } from "./table-row.ts";

/** Further columns are merged into one, which bounds the width of a table. */
const MAX_COLUMNS = 500;
const OTHERS = "other_columns";

/** A column, with counts of the types of its values so far. */
export class FrameColumn {
	readonly name: string;
	readonly position: number;
	#present = 0;
	#times = 0;
	#numbers = 0;
	#integers = 0;
	#booleans = 0;
	#texts = 0;

	constructor(name: string, position: number) {
		this.name = name;
		this.position = position;
	}

	see(value: unknown): void {
		if (value === null || value === undefined) return;
		this.#present++;
		if (typeof value === "string") this.#texts++;
		else if (typeof value === "boolean") this.#booleans++;
		else if (value instanceof TableTime) this.#times++;
		else if (typeof value === "number") {
			this.#numbers++;
			if (Number.isSafeInteger(value)) this.#integers++;
		}
	}

	/** The type of all values except nulls; `any` when the types differ, for lists and objects, and without values. */
	get type(): "any" | "boolean" | "integer" | "number" | "text" | "time" {
		switch (this.#present) {
			case 0:
				return "any";
			case this.#texts:
				return "text";
			case this.#times:
				return "time";
			case this.#integers:
				return "integer";
			case this.#numbers:
				return "number";
			case this.#booleans:
				return "boolean";
			default:
				return "any";
		}
	}

	/** Whether each of `rows` rows has a value. */
	isComplete(rows: number): boolean {
		return this.#present === rows;
	}
}

export type PlacedCell = readonly [column: FrameColumn, value: unknown];

/** The columns of a table in the order they appear. */
export class FrameColumns {
	readonly #byName = new Map<string, FrameColumn>();
	readonly #before: number;

	/** @param before number of index columns, which come first */
	constructor(names: readonly string[], before: number) {
		this.#before = before;
		for (const name of names) this.#add(name);
	}

	get all(): readonly FrameColumn[] {
		return [...this.#byName.values()];
	}

	/** As {@link place}, and counts the types of the values. */
	see(cells: Readonly<Record<string, unknown>>): readonly PlacedCell[] {
		const placed = this.place(cells);
		for (const [column, value] of placed) column.see(value);
		return placed;
	}

	/** The column of each value of a row; new columns appear at the end. */
	place(cells: Readonly<Record<string, unknown>>): readonly PlacedCell[] {
		const placed: PlacedCell[] = [];
		let others: Record<string, unknown> | undefined;
		for (const [name, value] of Object.entries(cells)) {
			const column = this.#byName.get(name) ?? (this.#byName.size < MAX_COLUMNS ? this.#add(name) : undefined);
			if (column === undefined) {
				others ??= Object.create(null) as Record<string, unknown>;
				others[name] = value;
				continue;
			}
			placed.push([column, value]);
		}
		if (others !== undefined) placed.push([this.#byName.get(OTHERS) ?? this.#add(OTHERS), others]);
		return placed;
	}

	#add(name: string): FrameColumn {
		const column = new FrameColumn(name, this.#before + this.#byName.size);
		this.#byName.set(name, column);
		return column;
	}
}
