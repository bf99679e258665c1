import type { EvaluatorVersionOfEvaluator } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import ArrowLeft from "lucide-react/icons/arrow-left";
import { type ReactNode, useState } from "react";
import { EvaluatorKind } from "../../evaluating/evaluator-kind.tsx";
import {
	type Evaluator,
	evaluatorQuery,
	refreshEvaluators,
	usageQuery,
	versionQuery,
} from "../../evaluating/queries.ts";
import { JudgeMessages, OutputList } from "../../evaluating/version-parts.tsx";
import { api } from "../../lib/api.ts";
import { isNotHere } from "../../lib/look-again.ts";
import { useCan } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { evaluatorTexts as TEXTS } from "../../texts/evaluators-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Chip } from "../../ui/chip.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { EditEvaluatorDialog } from "./edit-evaluator-dialog.tsx";
import { NewVersion } from "./new-version.tsx";
import { OfferedConfigs } from "./offered-configs.tsx";
import type { EvaluatorSearch } from "./search.ts";
import { TryPane } from "./try-pane.tsx";
import { VersionsTab } from "./versions-tab.tsx";

const route = getRouteApi("/evaluators/$evaluator");

/** One evaluator: its newest version or an older one, trying it, its versions, and who uses it. */
export function EvaluatorPage(): ReactNode {
	const { evaluator: identifier } = route.useParams();
	const query = useQuery(evaluatorQuery(identifier));
	usePageTitle(query.data?.name ?? identifier, TEXTS.title);
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col overflow-auto outline-none">
				{query.data === undefined && <h1 className="sr-only">{identifier}</h1>}
				{isNotHere(query.error) ? (
					<EmptyState
						title={TEXTS.missing}
						text={TEXTS.missingText}
						actions={
							<Link to="/evaluators" className={buttonClass()}>
								{TEXTS.back}
							</Link>
						}
					/>
				) : (
					<Loaded data={query.data} query={query}>
						{(evaluator) => <LoadedEvaluator evaluator={evaluator} />}
					</Loaded>
				)}
			</main>
		</>
	);
}

function LoadedEvaluator({ evaluator }: { evaluator: Evaluator }): ReactNode {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const query = useQuery(versionQuery(search.version ?? evaluator.latest_version.id));
	const can = useCan();
	const isJustSaved = search.just_saved === "1" && search.edit !== "1";
	return (
		<div className="mx-auto flex w-full max-w-6xl flex-1 flex-col">
			<Header evaluator={evaluator} shown={query.data} />
			{isJustSaved && query.data && (
				<OfferedConfigs
					key={query.data.id}
					outputs={query.data.version.outputs}
					isJustSaved
					onLeave={() => void navigate({ search: ({ just_saved: _justSaved, ...rest }) => rest, replace: true })}
				/>
			)}
			<Loaded data={query.data} query={query}>
				{(version) =>
					search.edit === "1" && can("write") ? (
						<NewVersion
							evaluator={evaluator}
							from={version}
							onLeave={() => void navigate({ search: ({ edit: _edit, ...rest }) => rest })}
							onSaved={() => void navigate({ search: { just_saved: "1" } })}
						/>
					) : (
						<Tabs
							label={TEXTS.tabs.label}
							value={search.tab ?? "version"}
							onChange={(tab) =>
								void navigate({
									search: ({ tab: _tab, ...rest }) => (tab === "version" ? rest : { ...rest, tab }),
								})
							}
							panelClassName="p-4"
							items={[
								{
									value: "version",
									label: TEXTS.tabs.version,
									content: <VersionTab version={version} offersConfigs={!isJustSaved} />,
								},
								{ value: "try", label: TEXTS.tabs.try, content: <TryPane key={version.id} version={version} /> },
								{
									value: "versions",
									label: TEXTS.tabs.versions,
									content: <VersionsTab evaluator={evaluator} shown={version} />,
								},
								{ value: "usage", label: TEXTS.tabs.usage, content: <UsageTab evaluator={evaluator} /> },
							]}
						/>
					)
				}
			</Loaded>
		</div>
	);
}

function Header({
	evaluator,
	shown,
}: {
	evaluator: Evaluator;
	shown: EvaluatorVersionOfEvaluator | undefined;
}): ReactNode {
	const queries = useQueryClient();
	const can = useCan();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const [isAsking, setAsking] = useState(false);
	const [isEditing, setEditing] = useState(false);
	const archive = useMutation({
		mutationFn: (is_archived: boolean) =>
			api.patch("/v1/evaluators/{evaluator_identifier}", {
				path: { evaluator_identifier: evaluator.id },
				body: { is_archived },
			}),
		onSuccess: async () => {
			setAsking(false);
			await refreshEvaluators(queries);
		},
	});
	const isOld = shown !== undefined && shown.id !== evaluator.latest_version.id;
	return (
		<header className="flex flex-col gap-1 px-4 pt-3 pb-3">
			<Link to="/evaluators" className="flex items-center gap-1.5 self-start text-muted hover:text-ink">
				<ArrowLeft size={13} aria-hidden />
				{TEXTS.back}
			</Link>
			<div className="flex min-w-0 flex-wrap items-center gap-2">
				<h1 className="min-w-0 truncate font-semibold text-xl">{evaluator.name}</h1>
				<EvaluatorKind kind={evaluator.kind} />
				{shown && <Chip>{TEXTS.version(shown.number)}</Chip>}
				{evaluator.is_archived && <Chip tone="warn">{TEXTS.isArchived}</Chip>}
				{isOld && (
					<Link to="/evaluators/$evaluator" params={{ evaluator: evaluator.name }} className="text-accent underline">
						{TEXTS.showNewest}
					</Link>
				)}
				{can("write") && (
					<span className="ml-auto flex gap-2">
						{evaluator.is_archived ? (
							<Button disabled={archive.isPending} onClick={() => archive.mutate(false)}>
								{TEXTS.restore}
							</Button>
						) : (
							<>
								<Button onClick={() => setAsking(true)}>{TEXTS.archive}</Button>
								<Button onClick={() => setEditing(true)}>{TEXTS.edit.action}</Button>
								{search.edit === undefined && (
									<Link
										to="/evaluators/$evaluator"
										params={{ evaluator: evaluator.name }}
										search={{ ...withoutSaved(search), edit: "1" }}
										className={buttonClass("primary")}
									>
										{TEXTS.newVersion}
									</Link>
								)}
							</>
						)}
					</span>
				)}
			</div>
			{evaluator.description && (
				<p className="max-w-prose text-muted [overflow-wrap:anywhere]">{evaluator.description}</p>
			)}
			{!isAsking && <FormError error={archive.error} />}
			{isEditing && (
				<EditEvaluatorDialog
					evaluator={evaluator}
					onRenamed={(name) => navigate({ params: { evaluator: name }, search, replace: true })}
					onClose={() => setEditing(false)}
				/>
			)}
			{isAsking && (
				<ConfirmDialog
					title={TEXTS.archiveTitle(evaluator.name)}
					action={TEXTS.archive}
					mutation={{ mutate: () => archive.mutate(true), isPending: archive.isPending, error: archive.error }}
					onClose={() => {
						archive.reset();
						setAsking(false);
					}}
				>
					<p>{TEXTS.archiveText}</p>
				</ConfirmDialog>
			)}
		</header>
	);
}

function withoutSaved({ just_saved: _justSaved, ...rest }: EvaluatorSearch): EvaluatorSearch {
	return rest;
}

function VersionTab({
	version: { id, version, template },
	offersConfigs,
}: {
	version: EvaluatorVersionOfEvaluator;
	offersConfigs: boolean;
}): ReactNode {
	return (
		<div className="flex flex-col gap-4">
			{template !== null && <p className="text-muted">{TEXTS.fromTemplate(template)}</p>}
			<Section title={TEXTS.outputs}>
				<OutputList outputs={version.outputs} />
				{offersConfigs && (
					<OfferedConfigs key={id} outputs={version.outputs} isJustSaved={false} onLeave={() => undefined} />
				)}
			</Section>
			<Section title={TEXTS.inputs}>
				<ul className="flex flex-col gap-1">
					{version.inputs.map(({ name, required, description }) => (
						<li key={name} className="[overflow-wrap:anywhere]">
							<span className="font-mono text-sm">{name}</span>
							<span className="text-muted">
								{[required ? undefined : TEXTS.optional, description].filter(Boolean).map((fact) => ` · ${fact}`)}
							</span>
						</li>
					))}
				</ul>
			</Section>
			{version.kind === "LLM" && version.variant.messages && (
				<Section title={TEXTS.messages}>
					<JudgeMessages messages={version.variant.messages} format={version.variant.template_format ?? "MUSTACHE"} />
				</Section>
			)}
			{version.kind === "CODE" && (
				<Section title={TEXTS.source}>
					<CodeBlock text={version.source} label={TEXTS.source} language="code" />
				</Section>
			)}
			{version.kind === "BUILT_IN" && (
				<Section title={TEXTS.rule}>
					<CodeBlock text={JSON.stringify(version.builtin, null, 2)} label={TEXTS.rule} language="code" />
				</Section>
			)}
			<details>
				<summary className="cursor-pointer text-muted">{TEXTS.definition}</summary>
				<CodeBlock
					text={JSON.stringify(version, null, 2)}
					label={TEXTS.definition}
					language="code"
					className="mt-2 bg-surface"
				/>
			</details>
		</div>
	);
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactNode {
	return (
		<section aria-label={title} className="flex min-w-0 flex-col gap-2">
			<h2 className="font-semibold">{title}</h2>
			{children}
		</section>
	);
}

function UsageTab({ evaluator }: { evaluator: Evaluator }): ReactNode {
	const query = useQuery(usageQuery(evaluator.id));
	return (
		<Loaded data={query.data} query={query}>
			{({ datasets, jobs, hidden }) => {
				if (datasets.length + jobs.length + hidden === 0) return <p className="text-muted">{TEXTS.unused}</p>;
				return (
					<div className="flex flex-col gap-4">
						{datasets.length > 0 && (
							<Section title={TEXTS.usedDatasets}>
								<ul>
									{datasets.map(({ id, name }) => (
										<li key={id}>
											<Link
												to="/datasets/$dataset/evaluators"
												params={{ dataset: id }}
												className="text-accent underline"
											>
												{name}
											</Link>
										</li>
									))}
								</ul>
							</Section>
						)}
						{jobs.length > 0 && (
							<Section title={TEXTS.usedJobs}>
								<ul>
									{jobs.map(({ id, name }) => (
										<li key={id}>{name}</li>
									))}
								</ul>
							</Section>
						)}
						{hidden > 0 && <p className="text-muted">{TEXTS.usedHidden(hidden)}</p>}
					</div>
				);
			}}
		</Loaded>
	);
}
