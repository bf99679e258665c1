import { isIP } from "node:net";
import type { z } from "zod";
import { canonicalRange } from "../ip-ranges.ts";
import { isNeverRange } from "../outgoing/address-zones.ts";
import { shown } from "./setting.ts";
import { items, valueKind } from "./value-kinds.ts";

/** An absolute http(s) address as people mean it; undefined for what a URL parser would only guess. */
export function parseWebAddress(text: string): URL | undefined {
	if (!/^https?:\/\/[^/?#\\\s]/i.test(text) || /[\\\s\p{Cc}]/u.test(text)) return undefined;
	return URL.parse(text) ?? undefined;
}

/**
 * The origin that a text consists of, `https://host:port` with or without a slash at the end; undefined for any other
 * text.
 */
function toOrigin(text: string): string | undefined {
	const url = parseWebAddress(text);
	const isBare = url?.pathname === "/" && url.search === "" && url.hash === "" && !/[?#*@]/.test(text);
	return isBare ? url.origin : undefined;
}

/** Origins in the form in which browsers send them. */
export function originList(starProblem: string): z.ZodType<readonly string[]> {
	return valueKind("origins such as `https://traces.example.com`, separated by commas", (value, wrong) =>
		items(value).map((item) => {
			const origin = toOrigin(item);
			if (item === "*") wrong(starProblem);
			else if (origin === undefined) {
				wrong(
					`must be origins such as https://traces.example.com, separated by commas: http or https, a host, no path; ${shown(item)} is none`,
				);
			}
			return origin ?? item;
		}),
	);
}

/** The full address of this service, without a slash at the end. */
export const rootUrl = valueKind("an `http` or `https` address", (value, wrong) => {
	const url = parseWebAddress(value);
	const isPlain = url?.username === "" && url.password === "" && !/[?#]/.test(value);
	if (!isPlain) {
		wrong("must be an absolute http or https address with a host, without user, query and fragment");
		return value;
	}
	return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
});

/** An address to link to. */
export const webAddress = valueKind("an `http` or `https` address", (value, wrong) => {
	const url = parseWebAddress(value);
	if (url === undefined || url.username !== "" || url.password !== "") {
		wrong("must be an absolute http or https address with a host, without user and password");
	}
	return url?.href ?? value;
});

/** A path without a slash at its end. */
export const rootPath = valueKind("a path such as `/traces`", (value, wrong) => {
	const problem = value.startsWith("/")
		? value.endsWith("/") && "must not end with /"
		: "must start with /, such as /traces";
	if (problem !== false) wrong(problem);
	else if (!isPlainPath(value)) wrong("must be a path of letters, digits and . _ ~ - such as /traces");
	return value;
});

export const cookiePath = valueKind("a path such as `/traces`", (value, wrong) => {
	if (!value.startsWith("/")) wrong("must start with /");
	else if (value !== "/" && value.endsWith("/"))
		wrong("must not end with /: browsers would not send it to the path itself");
	else if (value !== "/" && !isPlainPath(value)) wrong("must be a path of letters, digits and . _ ~ - such as /traces");
	return value;
});

function isPlainPath(path: string): boolean {
	return /^(\/[\w.~-]+)+$/.test(path) && !path.split("/").some((part) => part === "." || part === "..");
}

/** Addresses and networks: `10.0.0.0/8`, `::1`. */
export const networkList = valueKind("addresses or networks, separated by commas", (value, wrong): readonly string[] =>
	items(value).map((item) => {
		if (!isNetwork(item)) {
			wrong(`must be addresses or networks such as 10.0.0.0/8 or ::1, separated by commas; ${shown(item)} is none`);
		}
		return item;
	}),
);

function isNetwork(text: string): boolean {
	const [address = "", bits, ...rest] = text.split("/");
	const family = address.includes("%") ? 0 : isIP(address);
	if (family === 0 || rest.length > 0) return false;
	return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Host names and addresses as browsers send them, without ports; `*.` before a name stands for whatever is below it. */
export const hostList = valueKind(
	"host names, addresses or `*.example.com`, separated by commas",
	(value, wrong): readonly string[] =>
		items(value).map((item) => {
			const host = toHostPattern(item);
			if (host === undefined) {
				wrong(
					`must be host names or addresses such as traces.example.com, 192.0.2.7 or *.example.com, separated by commas, without scheme and port; ${shown(item)} is none`,
				);
			}
			return host ?? item;
		}),
);

/** The same with networks, not all of them such as no request may go to. */
export const targetList = valueKind(
	"host names, `*.example.com`, addresses or networks, separated by commas",
	(value, wrong): readonly string[] => {
		const targets = items(value).map((item) => {
			const target = canonicalRange(item) ?? toHostPattern(item);
			if (target === undefined) {
				wrong(
					`must be host names, addresses or networks such as models.example.com, *.example.com, 192.0.2.7 or 10.0.0.0/8, separated by commas, without scheme and port; ${shown(item)} is none`,
				);
			}
			return target ?? item;
		});
		if (targets.every((target) => isNeverCalled(target))) {
			wrong(
				"names only addresses that are never called: link-local, metadata, unspecified, multicast and reserved ones",
			);
		}
		return targets;
	},
);

/** Whether an entry of {@link targetList} has no effect. */
export function isNeverCalled(target: string): boolean {
	const range = canonicalRange(target);
	return range !== undefined && isNeverRange(range);
}

/** A host name in lower case and punycode, an address, or `*.` and a name of several parts; undefined for what is none. */
function toHostPattern(text: string): string | undefined {
	const name = text.replace(/^\*\./, "");
	const host = isIP(name) === 6 ? URL.parse(`http://[${name}]`)?.hostname.slice(1, -1) : toHostName(name);
	if (name === text) return host;
	return host === undefined || isIP(host) !== 0 || !host.includes(".") ? undefined : `*.${host}`;
}

/** In lower case and punycode. */
function toHostName(text: string): string | undefined {
	const host = /^[\p{L}\p{M}\p{N}._-]+$/u.test(text) ? URL.parse(`http://${text}`)?.hostname : undefined;
	return host?.replace(/\.$/, "") || undefined;
}
