import type { Analytics, EndUser } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Change } from "../../analytics/change.tsx";
import { formatOf } from "../../analytics/measures.ts";
import { analyticsQuery } from "../../analytics/queries.ts";
import { toRange } from "../../analytics/search.ts";
import { USERS_RANGE } from "../../lib/range-names.ts";
import { endUsersTexts } from "../../texts/end-users-en.ts";
import { FormError } from "../../ui/form-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import type { UserPart } from "./user-page.tsx";

const TEXTS = endUsersTexts.user;
const MEASURES = [
	"count",
	"unique_sessions",
	"error_count",
	"error_rate",
	"tokens_total",
	"cost_total",
	"latency_p95",
	"unique_users",
] as const;
const NAMES = ["traces", "sessions", "errors", "errorRate", "tokens", "cost", "latency"] as const;
type Name = (typeof NAMES)[number];

/** The measure that has the form and the meaning of a figure. */
const FORMS: Readonly<Record<Name, string>> = {
	traces: "count",
	sessions: "unique_sessions",
	errors: "error_count",
	errorRate: "error_rate",
	tokens: "tokens_total",
	cost: "cost_total",
	latency: "latency_p95",
};

/** The figures of a user, beside the average of the users of the project. */
export function Figures({ project, range, zone, data }: UserPart & { data: EndUser | undefined }): ReactNode {
	const average = useQuery(
		analyticsQuery(
			project,
			{ of: "traces", measure: MEASURES, filter: "user_id is not None", ...toRange(range, USERS_RANGE) },
			zone,
		),
	);
	const own = data && figuresOf(data);
	const others = average.data && averagesOf(average.data);
	return (
		<section aria-label={TEXTS.figures}>
			<p className="mb-2 text-muted text-sm">{TEXTS.figuresText}</p>
			<FormError error={average.error} />
			<dl className="grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-x-6 gap-y-4">
				{NAMES.map((name) => {
					const measure = FORMS[name];
					const format = formatOf(measure);
					return (
						<div key={name}>
							<dt className="text-muted">{TEXTS.figure[name]}</dt>
							<dd className="font-semibold text-xl">{own ? format(own[name]) : <Skeleton className="my-2 w-16" />}</dd>
							<dd className="flex flex-wrap gap-x-2 text-muted text-sm">
								{others ? TEXTS.average(format(others[name])) : !average.error && <Skeleton className="my-1 w-20" />}
								{own && others && <Change measure={measure} now={own[name]} before={others[name]} />}
							</dd>
						</div>
					);
				})}
			</dl>
		</section>
	);
}

type Figure = Readonly<Record<Name, number | null>>;

function figuresOf(user: EndUser): Figure {
	return {
		traces: user.trace_count,
		sessions: user.session_count,
		errors: user.error_count,
		errorRate: user.trace_count === 0 ? null : user.error_count / user.trace_count,
		tokens: user.tokens_total,
		cost: user.cost_total,
		latency: user.latency_p95,
	};
}

/** Numbers are divided by the users; rates and percentiles are those of all traces. */
function averagesOf({ all: { totals } }: Analytics): Figure {
	const users = totals["unique_users"] ?? 0;
	const each = (measure: string) => {
		const value = totals[measure];
		return users === 0 || value === null || value === undefined ? null : value / users;
	};
	return {
		traces: each("count"),
		sessions: each("unique_sessions"),
		errors: each("error_count"),
		errorRate: totals["error_rate"] ?? null,
		tokens: each("tokens_total"),
		cost: each("cost_total"),
		latency: totals["latency_p95"] ?? null,
	};
}
