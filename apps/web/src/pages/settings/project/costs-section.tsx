import type { CostRecomputation, Project } from "@spanward/client";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { formatInteger } from "../../../lib/format.ts";
import { useCan } from "../../../lib/me.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { toTime } from "../prices/price-draft.ts";
import { SettingsPart } from "./settings-part.tsx";

const TEXTS = dataSettingsTexts.project;
const REFRESH_MS = 1_000;
const SHOWN = 5;

function isOpen({ state }: CostRecomputation): boolean {
	return state === "waiting" || state === "running";
}

function recomputationsQuery(project: string) {
	return queryOptions({
		queryKey: ["cost-recomputations", project],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}/cost_recomputations", {
					path: { project_identifier: project },
					query: { limit: SHOWN },
					signal,
				})
			).data,
		refetchInterval: ({ state }) => (state.data?.some(isOpen) ? REFRESH_MS : false),
	});
}

/** Starts recomputations of the costs of stored spans, and shows their progress. */
export function CostsSection({ project }: { project: Project }): ReactNode {
	const can = useCan();
	const queries = useQueryClient();
	const { data: list = [], error } = useQuery(recomputationsQuery(project.id));
	const [from, setFrom] = useState("");
	const [to, setTo] = useState("");
	const bounds = [toTime(from), toTime(to)] as const;
	const start = useMutation({
		mutationFn: () =>
			api.post("/v1/projects/{project_identifier}/cost_recomputations", {
				path: { project_identifier: project.id },
				body: { start_time: bounds[0] ?? null, end_time: bounds[1] ?? null },
			}),
		onSuccess: () => queries.invalidateQueries({ queryKey: ["cost-recomputations", project.id] }),
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (bounds[0] !== undefined && bounds[1] !== undefined) start.mutate();
	};
	return (
		<SettingsPart title={TEXTS.costs} text={TEXTS.costsText}>
			{can("admin") && (
				<form onSubmit={submit} className="flex flex-wrap items-start gap-3">
					<Field label={TEXTS.recomputeFrom} error={bounds[0] === undefined ? TEXTS.badTime : undefined}>
						<Input value={from} onChange={(event) => setFrom(event.target.value)} className="w-40" />
					</Field>
					<Field label={TEXTS.recomputeTo} error={bounds[1] === undefined ? TEXTS.badTime : undefined}>
						<Input value={to} onChange={(event) => setTo(event.target.value)} className="w-40" />
					</Field>
					<Button type="submit" className="mt-[22px]" disabled={start.isPending || list.some(isOpen)}>
						{TEXTS.recompute}
					</Button>
					<p className="basis-full text-muted text-sm">{TEXTS.recomputeHint}</p>
				</form>
			)}
			<FormError error={start.error ?? error} />
			{list.length > 0 && (
				<ul aria-label={TEXTS.recomputations} className="flex flex-col">
					{list.map((recomputation) => (
						<Recomputation key={recomputation.id} project={project} recomputation={recomputation} />
					))}
				</ul>
			)}
		</SettingsPart>
	);
}

function Recomputation({ project, recomputation }: { project: Project; recomputation: CostRecomputation }): ReactNode {
	const can = useCan();
	const queries = useQueryClient();
	const cancel = useMutation({
		mutationFn: () =>
			api.delete("/v1/cost_recomputations/{recomputation_id}", { path: { recomputation_id: recomputation.id } }),
		onSuccess: () => queries.invalidateQueries({ queryKey: ["cost-recomputations", project.id] }),
	});
	const { state, seen_spans: seen, total_spans: total, start_time: from, end_time: to, error } = recomputation;
	const range = [from, to].map((time) => time?.slice(0, 10) ?? "…").join(" – ");
	return (
		<li className="flex flex-col gap-1 border-line border-b py-2">
			<div className="flex flex-wrap items-center gap-x-3">
				<span className={state === "failed" ? "font-medium text-danger" : "font-medium"}>{TEXTS.state[state]}</span>
				<span>{TEXTS.progress(formatInteger(seen), formatInteger(total))}</span>
				<span className="text-muted">{TEXTS.changedSpans(formatInteger(recomputation.changed_spans))}</span>
				<span className="text-muted">{from === null && to === null ? TEXTS.allTime : range}</span>
				<span className="ml-auto text-muted text-sm">
					<RelativeTime time={recomputation.created_at} />
				</span>
				{isOpen(recomputation) && can("admin") && (
					<Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
						{TEXTS.cancel}
					</Button>
				)}
			</div>
			{isOpen(recomputation) && (
				<progress
					aria-label={TEXTS.recomputations}
					value={recomputation.progress}
					max={1}
					className="h-1.5 w-full accent-accent"
				/>
			)}
			{error !== null && <p className="text-danger text-sm">{error}</p>}
			<FormError error={cancel.error} />
		</li>
	);
}
