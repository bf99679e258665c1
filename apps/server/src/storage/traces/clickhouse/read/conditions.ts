import type { Parameters, ParameterValue } from "#storage/clickhouse/node.ts";

/** Conditions joined by `and`, with the values that their statement is sent with. */
export class Conditions {
	readonly #sql: string[] = [];
	readonly #params: Record<string, ParameterValue> = {};

	/** @returns what stands for a value in the statement; `type` is ClickHouse's */
	bind(type: string, value: ParameterValue): string {
		const name = `p${Object.keys(this.#params).length}`;
		this.#params[name] = value;
		return `{${name}:${type}}`;
	}

	add(sql: string): this {
		this.#sql.push(sql);
		return this;
	}

	addEqual(column: string, type: string, value: ParameterValue): this {
		return this.add(`${column} = ${this.bind(type, value)}`);
	}

	/** Both ends included. */
	addBetween(column: string, from: number, to: number): this {
		return this.add(`${column} between ${this.bind("Int64", from)} and ${this.bind("Int64", to)}`);
	}

	/** In one of the ranges, of which there is at least one; both ends included. */
	addBetweenAny(column: string, ranges: readonly (readonly [from: number, to: number])[]): this {
		if (ranges.length === 0) return this;
		const bound = ranges.map(([from, to]) => `${this.bind("Int64", from)} and ${this.bind("Int64", to)}`);
		return this.add(bound.map((range) => `${column} between ${range}`).join(" or "));
	}

	/** When values are given. @param or another condition of which each row that fulfils it is selected, too */
	addIn(column: string, type: string, values: readonly (string | number)[] | undefined, or?: string): this {
		if (values === undefined) return this;
		const isOne = `${column} in ${this.bind(`Array(${type})`, [...new Set(values)])}`;
		return this.add(or === undefined ? isOne : `${isOne} or ${or}`);
	}

	/** Ids of so many bytes, given in hex. */
	addInHex(column: string, bytes: 8 | 16, values: readonly string[] | undefined): this {
		if (values === undefined) return this;
		const wellFormed = [...new Set(values)].filter((value) => value.length === 2 * bytes);
		return this.add(
			`${column} in (select toFixedString(unhex(arrayJoin(${this.bind("Array(String)", wellFormed)})), ${bytes}))`,
		);
	}

	addTimeRange(column: string, range: { readonly startMicros?: number; readonly endMicros?: number }): this {
		if (range.startMicros !== undefined) this.add(`${column} >= ${this.bind("Int64", Math.ceil(range.startMicros))}`);
		if (range.endMicros !== undefined) this.add(`${column} < ${this.bind("Int64", Math.ceil(range.endMicros))}`);
		return this;
	}

	get count(): number {
		return this.#sql.length;
	}

	get sql(): string {
		return this.#sql.length === 0 ? "true" : this.#sql.map((sql) => `(${sql})`).join(" and ");
	}

	get params(): Parameters {
		return this.#params;
	}
}
