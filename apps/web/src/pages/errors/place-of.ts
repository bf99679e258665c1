import type { ErrorGroup } from "@spanward/client";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";

/** Where it happened, on one line: the kind, then the tool or the provider with what it answered, else the span. */
export function placeOf({ error_kind: kind, culprit }: Pick<ErrorGroup, "error_kind" | "culprit">): string {
	const { tool, provider, status, code, span_name: span } = culprit;
	const answer = [status, code].filter((part) => part !== null).join(" ");
	const place = [tool ?? provider ?? span, answer].filter((part) => part !== "").join(" ");
	return place === "" ? TEXTS.kind[kind] : `${TEXTS.kind[kind]} · ${place}`;
}
