/**
 * What Active Directory means by `data 52e` and the like in its messages; the result code alone is the same for all.
 */
const ACTIVE_DIRECTORY: Readonly<Record<string, string>> = {
	"525": "there is no such user",
	"52e": "the name or the password is wrong",
	"530": "not at this time",
	"531": "not from this computer",
	"532": "the password has expired",
	"533": "the account is disabled",
	"701": "the account has expired",
	"773": "the password has to be changed first",
	"775": "the account is locked",
};

/** The end of a sentence about a refused bind; empty for other directories. */
export function reasonOfActiveDirectory(diagnostic: string): string {
	const code = /\bdata ([0-9a-f]{3,4})\b/i.exec(diagnostic)?.[1]?.toLowerCase();
	if (code === undefined) return "";
	const meaning = ACTIVE_DIRECTORY[code];
	return meaning === undefined ? ` (data ${code})` : `: ${meaning} (data ${code})`;
}
