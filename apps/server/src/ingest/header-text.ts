/** Node gives header bytes as Latin-1; names beyond ASCII usually were sent as UTF-8. */
export function headerText(value: string | string[] | undefined): string | undefined {
	if (Array.isArray(value)) return headerText(value[0]);
	if (value === undefined || /^[\x20-\x7e]*$/.test(value)) return value;
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value, "latin1"));
	} catch (error) {
		if (error instanceof TypeError) return value;
		throw error;
	}
}
