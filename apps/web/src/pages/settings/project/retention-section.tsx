import type { Project, RetentionPolicy, RetentionPreview } from "@spanward/client";
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { api } from "../../../lib/api.ts";
import { formatInteger } from "../../../lib/format.ts";
import { useCan } from "../../../lib/me.ts";
import { formatTime } from "../../../lib/time.ts";
import { useDebounced } from "../../../lib/use-debounced.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { ClockTime, RelativeTime } from "../../../ui/relative-time.tsx";
import { Select } from "../../../ui/select.tsx";
import { cronWords } from "../retention/cron-words.ts";
import { isDefault, retentionText } from "../retention/policy-words.ts";
import { policiesQuery } from "../retention/retention-queries.ts";
import { SettingsPart } from "./settings-part.tsx";

const TEXTS = dataSettingsTexts.project;
const FORM = dataSettingsTexts.retention;
const TYPING_MS = 300;

/** Limits for the preview; undefined for those of the project's policy. */
interface Limits {
	readonly maxDays: string;
	readonly maxTraces: string;
	readonly keepAnnotated: boolean;
}

function retentionQuery(project: string) {
	return queryOptions({
		queryKey: ["retention", "project", project],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}/retention", {
					path: { project_identifier: project },
					signal,
				})
			).data,
	});
}

function previewQuery(project: string, policy: string, limits: Limits | undefined) {
	return queryOptions({
		queryKey: ["retention", "preview", project, policy, limits],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}/retention/preview", {
					path: { project_identifier: project },
					query: limits ? toQuery(limits) : {},
					signal,
				})
			).data,
		placeholderData: keepPreviousData,
	});
}

function toQuery({ maxDays, maxTraces, keepAnnotated }: Limits) {
	return {
		...(maxDays.trim() ? { max_days: Number(maxDays) } : {}),
		...(maxTraces.trim() ? { max_traces: Number(maxTraces) } : {}),
		keep_annotated: keepAnnotated,
	};
}

/** The project's retention policy, and a preview of what it would delete now. */
export function RetentionSection({ project }: { project: Project }): ReactNode {
	const query = useQuery(retentionQuery(project.id));
	return (
		<SettingsPart title={TEXTS.retention}>
			<Loaded data={query.data} query={query}>
				{({ policy }) => (
					<>
						<Policy project={project} policy={policy} />
						<Preview key={policy.id} project={project} policy={policy} />
					</>
				)}
			</Loaded>
		</SettingsPart>
	);
}

function Policy({ project, policy }: { project: Project; policy: RetentionPolicy }): ReactNode {
	const can = useCan();
	const queries = useQueryClient();
	const { data: policies = [policy] } = useQuery(policiesQuery);
	const change = useMutation({
		mutationFn: (id: string) => {
			const chosen = policies.find((each) => each.id === id);
			return api.patch("/v1/projects/{project_identifier}/retention", {
				path: { project_identifier: project.id },
				body: { policy_id: chosen && isDefault(chosen) ? null : id },
			});
		},
		onSuccess: () => queries.invalidateQueries({ queryKey: ["retention"] }),
	});
	return (
		<>
			<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
				{can("admin") ? (
					<Select
						label={TEXTS.policy}
						value={change.isPending ? change.variables : policy.id}
						onChange={(id) => change.mutate(id)}
						disabled={change.isPending}
						choices={policies.map((each) => ({
							value: each.id,
							label: TEXTS.policyOf(each.name, retentionText(each)),
						}))}
						className="max-w-full"
					/>
				) : (
					<span>{TEXTS.policyOf(policy.name, retentionText(policy))}</span>
				)}
				<Link to="/settings/retention" className="text-accent hover:underline">
					{TEXTS.managePolicies}
				</Link>
			</div>
			{policy.next_run_at !== null && (
				<p className="text-muted">
					{FORM.cronWords(cronWords(policy.cron))} {TEXTS.nextRun} <RelativeTime time={policy.next_run_at} />.
				</p>
			)}
			<FormError error={change.error} />
		</>
	);
}

function Preview({ project, policy }: { project: Project; policy: RetentionPolicy }): ReactNode {
	const own: Limits = {
		maxDays: String(policy.max_days ?? ""),
		maxTraces: String(policy.max_traces ?? ""),
		keepAnnotated: policy.keep_annotated,
	};
	const [limits, setLimits] = useState<Limits | undefined>();
	const settled = useDebounced(limits, TYPING_MS);
	const shown = limits ?? own;
	const problems = limitProblems(shown);
	const isBad = Object.keys(problems).length > 0;
	const query = useQuery({ ...previewQuery(project.id, policy.id, settled), enabled: !isBad && settled === limits });
	const change = (part: Partial<Limits>) => setLimits({ ...shown, ...part });
	return (
		<section aria-label={TEXTS.preview} className="flex flex-col gap-2 rounded-md border border-line p-3">
			<h3 className="font-medium">{TEXTS.preview}</h3>
			<div className="flex flex-wrap items-start gap-x-3 gap-y-2">
				<Field label={FORM.maxDays} error={problems.days}>
					<Input
						value={shown.maxDays}
						inputMode="decimal"
						aria-invalid={problems.days !== undefined}
						onChange={(event) => change({ maxDays: event.target.value })}
						className="w-28"
					/>
				</Field>
				<Field label={FORM.maxTraces} error={problems.count}>
					<Input
						value={shown.maxTraces}
						inputMode="numeric"
						aria-invalid={problems.count !== undefined}
						onChange={(event) => change({ maxTraces: event.target.value })}
						className="w-28"
					/>
				</Field>
				<label className="mt-[22px] flex h-7 cursor-pointer items-center gap-2">
					<input
						type="checkbox"
						checked={shown.keepAnnotated}
						onChange={(event) => change({ keepAnnotated: event.target.checked })}
					/>
					{FORM.keepAnnotated}
				</label>
			</div>
			{limits !== undefined && (
				<p className="flex flex-wrap items-center gap-3 text-muted text-sm">
					{TEXTS.changed}
					<Button onClick={() => setLimits(undefined)}>{TEXTS.reset}</Button>
				</p>
			)}
			{!isBad && (
				<Loaded data={query.data} query={query}>
					{(preview) => <Outcome project={project} preview={preview} isOld={query.isPlaceholderData} />}
				</Loaded>
			)}
		</section>
	);
}

function limitProblems({ maxDays, maxTraces }: Limits): { days?: string; count?: string } {
	const [days, count] = [Number(maxDays), Number(maxTraces)];
	return {
		...(maxDays.trim() === "" || days > 0 ? {} : { days: FORM.badDays }),
		...(maxTraces.trim() === "" || (Number.isInteger(count) && count > 0) ? {} : { count: FORM.badCount }),
	};
}

function Outcome({
	project,
	preview,
	isOld,
}: {
	project: Project;
	preview: RetentionPreview;
	/** Whether a new preview is loading. */
	isOld: boolean;
}): ReactNode {
	const { deleted_traces: deleted, kept_traces: kept, remaining_traces: remaining, oldest, newest, traces } = preview;
	return (
		<div role="status" className={isOld ? "opacity-60" : undefined}>
			<p className={deleted > 0 ? "font-medium text-danger" : undefined}>
				{deleted === 0 ? TEXTS.wouldNothing : TEXTS.would(formatInteger(deleted), formatInteger(deleted + remaining))}
			</p>
			{oldest !== null && newest !== null && (
				<p className="text-muted">{TEXTS.span(formatTime(oldest), formatTime(newest))}</p>
			)}
			{kept > 0 && <p>{TEXTS.keeps(formatInteger(kept))}</p>}
			{traces.length > 0 && (
				<details className="mt-1">
					<summary className="cursor-pointer text-muted">{TEXTS.first}</summary>
					<ul className="mt-1 flex flex-col">
						{traces.map((trace) => (
							<li key={trace.id} className="flex h-7 items-center gap-3">
								<ClockTime time={trace.start_time} className="w-28 shrink-0 text-muted" />
								<Link
									to="/p/$project/traces/$trace"
									params={{ project: project.id, trace: trace.trace_id }}
									className="truncate hover:text-accent hover:underline"
								>
									{trace.root_name || texts.state.unknown}
								</Link>
							</li>
						))}
					</ul>
				</details>
			)}
		</div>
	);
}
