import type { ErrorActivity } from "@spanward/client";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { untilText } from "./until-text.ts";

/** What happened, as a sentence. Its details are read with care: they are as they were written down then. */
export function activityText({ action, actor_kind: kind, user, details }: ErrorActivity): string {
	const who = user?.username ?? actorText(kind);
	const { did } = TEXTS;
	switch (action) {
		case "resolved":
			return did.resolved(who, textOf(details["release"]));
		case "ignored":
			return did.ignored(
				who,
				untilText({
					time: textOf(details["time"]) ?? null,
					occurrences: numberOf(details["occurrences"]),
					users: numberOf(details["users"]),
				}),
			);
		case "reopened":
			return did.reopened(who);
		case "regressed":
			return did.regressed(textOf(details["release"]));
		case "unignored":
			return did.unignored;
		case "assigned":
			return did.assigned(who, nameOf(details["assignee"]));
		case "unassigned":
			return did.unassigned(who);
		case "merged":
			return did.merged(who, titlesOf(details["groups"]));
		case "unmerged":
			return did.unmerged(who, titlesOf(details["groups"] ?? [details["from"]]));
	}
}

function actorText(kind: string): string {
	return Object.entries(TEXTS.by).find(([name]) => name === kind)?.[1] ?? TEXTS.somebody;
}

function textOf(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown): number | null {
	return typeof value === "number" ? value : null;
}

function nameOf(value: unknown): string {
	const name = typeof value === "object" && value !== null ? Reflect.get(value, "username") : undefined;
	return textOf(name) ?? TEXTS.somebody;
}

function titlesOf(value: unknown): string {
	return Array.isArray(value) ? value.filter((title) => typeof title === "string").join(", ") : "";
}
