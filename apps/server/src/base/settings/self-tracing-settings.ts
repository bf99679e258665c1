import { SecretText } from "../secret-text.ts";
import { rootUrl } from "./address-kinds.ts";
import { setting } from "./setting.ts";
import { decimal, items, text, valueKind } from "./value-kinds.ts";

export type HeaderList = readonly { readonly name: string; readonly value: SecretText }[];

/** `name=value,name=value`, values percent-encoded where they have a comma. https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const headers = valueKind(
	"`name=value`, separated by commas",
	(value, wrong): HeaderList =>
		items(value).map((item) => {
			const at = item.indexOf("=");
			const name = item.slice(0, Math.max(at, 0)).trim();
			const decoded = decode(item.slice(at + 1).trim());
			if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || decoded === undefined || !/^[\x20-\x7e]+$/.test(decoded))
				wrong("must be name=value pairs separated by commas, with commas in values as %2C");
			return { name: name.toLowerCase(), value: new SecretText(decoded ?? "") };
		}),
);

function decode(value: string): string | undefined {
	try {
		return decodeURIComponent(value);
	} catch {
		return undefined;
	}
}

/** Self-tracing: sending spans about this server's own work to another server. */
export const SELF_TRACING = {
	SERVICE_SELF_TRACING_ENDPOINT: setting<string | null>(
		rootUrl,
		null,
		"Address of another Spanward, or any other receiver of OTLP over HTTP, to which this server sends spans of its own work: requests, statements and commits, without their contents. /v1/traces is appended.",
	),
	SERVICE_SELF_TRACING_HEADERS: setting<HeaderList>(
		headers,
		[],
		"Headers for these exports as name=value pairs separated by commas, such as authorization=Bearer%20…",
		{ secret: true },
	),
	SERVICE_SELF_TRACING_PROJECT: setting(text, "spanward", "Project of these spans."),
	SERVICE_SELF_TRACING_SAMPLE_RATIO: setting(
		decimal({ from: 0, to: 1, what: "a share" }),
		1,
		"Share of the requests that is traced, from 0 to 1.",
	),
};
