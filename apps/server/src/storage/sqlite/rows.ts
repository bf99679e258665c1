import type { SQLInputValue, StatementSync } from "node:sqlite";

// The one place where rows get a type: `Row` names the columns of the statement.

export function listRows<Row>(statement: StatementSync, ...values: readonly SQLInputValue[]): Row[] {
	return statement.all(...values) as unknown as Row[];
}

/** The first row; undefined when there is none. */
export function findRow<Row>(statement: StatementSync, ...values: readonly SQLInputValue[]): Row | undefined {
	return statement.get(...values) as unknown as Row | undefined;
}

/** The first row of a statement that always has one, such as a count. @throws Error when it has none */
export function getRow<Row>(statement: StatementSync, ...values: readonly SQLInputValue[]): Row {
	const row = findRow<Row>(statement, ...values);
	if (row === undefined) throw new Error(`a statement that always has a row had none: ${statement.sourceSQL}`);
	return row;
}

/** The rows one by one, read as the loop proceeds. */
export function eachRow<Row>(statement: StatementSync, ...values: readonly SQLInputValue[]): Iterable<Row> {
	return statement.iterate(...values) as unknown as Iterable<Row>;
}

export function hasRow(statement: StatementSync, ...values: readonly SQLInputValue[]): boolean {
	return statement.get(...values) !== undefined;
}
