/**
 * A value that is missing only if the program is wrong or somebody else changed the database.
 * @param what names the value in the error's message
 * @throws Error when it is missing: a default would silently store or show something wrong
 */
export function present<Value>(value: Value, what: string): NonNullable<Value> {
	if (value === undefined || value === null) throw new Error(`${what} is missing`);
	return value;
}
