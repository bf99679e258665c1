import type { SQLInputValue } from "node:sqlite";

/** Conditions of a where clause, joined by `and`, with their bound values. Placeholders are `?`. */
export class Conditions<Extra = never> {
	readonly #sql: string[] = [];
	readonly #values: (SQLInputValue | Extra)[] = [];

	add(sql: string, ...values: readonly (SQLInputValue | Extra)[]): this {
		this.#sql.push(sql);
		this.#values.push(...values);
		return this;
	}

	/** `column in (…)`, when values are given. */
	addIn(column: string, values: readonly (string | number)[] | undefined): this {
		if (values === undefined) return this;
		return this.add(`${column} in (select value from json_each(?))`, JSON.stringify(values));
	}

	addAll(others: {
		readonly isEmpty: boolean;
		readonly sql: string;
		readonly values: readonly (SQLInputValue | Extra)[];
	}): this {
		if (others.isEmpty) return this;
		return this.add(others.sql, ...others.values);
	}

	addTimeRange(column: string, range: { readonly startMicros?: number; readonly endMicros?: number }): this {
		if (range.startMicros !== undefined) this.add(`${column} >= ?`, range.startMicros);
		if (range.endMicros !== undefined) this.add(`${column} < ?`, range.endMicros);
		return this;
	}

	get isEmpty(): boolean {
		return this.#sql.length === 0;
	}

	get sql(): string {
		return this.#sql.length === 0 ? "true" : this.#sql.map((sql) => `(${sql})`).join(" and ");
	}

	get values(): readonly (SQLInputValue | Extra)[] {
		return this.#values;
	}
}
