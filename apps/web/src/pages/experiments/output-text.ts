/** The text of an output for comparing words: a string, also if it is the only member of an object, else JSON. */
export function outputText(output: unknown): string {
	if (output === undefined || output === null) return "";
	if (typeof output === "string") return output;
	if (typeof output === "object" && !Array.isArray(output)) {
		const members = Object.values(output);
		if (members.length === 1 && typeof members[0] === "string") return members[0];
	}
	return JSON.stringify(output, undefined, 2);
}
