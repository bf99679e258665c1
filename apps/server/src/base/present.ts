/**
 * A value that is never missing, unless the program is wrong or somebody else changed the database.
 * @param what it is, for the sentence of the error
 * @throws Error when it is missing: a wrong default would be stored, or shown, in silence
 */
export function present<Value>(value: Value, what: string): NonNullable<Value> {
	if (value === undefined || value === null) throw new Error(`${what} is missing`);
	return value;
}
