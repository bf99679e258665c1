const MAX_LENGTH = 2_048;

/** The address of a picture that a browser may load; undefined for scripts, data, plain http and what is too long. */
export function acceptedPictureUrl(text: string | null): string | undefined {
	if (text === null || text.length > MAX_LENGTH) return undefined;
	const url = URL.parse(text);
	return url?.protocol === "https:" && url.username === "" && url.password === "" ? url.href : undefined;
}
