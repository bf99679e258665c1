import { Conditions } from "#storage/traces/filter/conditions.ts";
import { bytesOfHex, type SqlValue } from "./query.ts";

type ListType = "bigint" | "text";

/** Conditions with lists as arrays. */
export class PostgresConditions extends Conditions<SqlValue> {
	override addIn(column: string, values: readonly (string | number)[] | undefined): this {
		if (values === undefined) return this;
		const type: ListType = typeof values[0] === "string" ? "text" : "bigint";
		// An empty array has no type, and contains nothing.
		return values.length === 0 ? this.add("false") : this.add(`${column} = any(?::${type}[])`, values);
	}

	/** `column in (…)` for bytes given as hex digits, when values are given. */
	addInBytes(column: string, hex: readonly string[] | undefined): this {
		return hex === undefined ? this : this.add(`${column} = any(?::bytea[])`, hex.map(bytesOfHex));
	}
}
