/** `Content-Disposition` of a download; names may be of any letters (RFC 6266, RFC 8187). */
export function attachment(fileName: string): string {
	const plain = fileName.replace(/[^\w. -]/g, "_");
	const encoded = encodeURIComponent(fileName.toWellFormed()).replace(/['()*]/g, (character) => {
		return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
	});
	return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
