/** The origin that a text names, as URLs compare them: host in lower case and punycode, no default port (RFC 6454). */
export function originOf(url: string): string | undefined {
	if (/[\s\\]/.test(url)) return undefined;
	const parsed = URL.parse(url);
	return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.origin : undefined;
}

/** A host name or address as it stands in a URL: IPv6 in brackets (RFC 3986, 3.2.2). */
export function hostInUrl(host: string): string {
	return host.includes(":") ? `[${host}]` : host;
}

/** The origin in an `Origin` header or a setting; at most a slash may follow host and port. */
export function bareOrigin(text: string): string | undefined {
	return /^https?:\/\/[^/?#@]+\/?$/i.test(text) ? originOf(text) : undefined;
}
