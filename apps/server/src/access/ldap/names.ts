/**
 * Equal for names that directories treat as the same: RFC 4518 maps invisible characters to nothing, white space to one
 * space, and ignores case and compatibility forms.
 */
export function foldName(name: string): string {
	return name
		.normalize("NFKC")
		.replace(/\s+/g, " ")
		.replace(/[\p{C}\p{Default_Ignorable_Code_Point}\u{fffc}]/gu, "")
		.toUpperCase()
		.toLowerCase()
		.normalize("NFKC")
		.replace(/\s+/g, " ")
		.trim();
}

/** The attributes that a filter of the settings compares with the name that was typed. */
export function comparedAttributes(template: string): string[] {
	const names = Array.from(template.matchAll(/\(\s*([A-Za-z][A-Za-z0-9-]*)=%s\)/g), ([, name = ""]) => name);
	return [...new Set(names)];
}
