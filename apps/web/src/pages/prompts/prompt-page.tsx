import { ApiError, type Prompt } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import ArrowLeft from "lucide-react/icons/arrow-left";
import Ellipsis from "lucide-react/icons/ellipsis";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, Suspense, type SyntheticEvent, useState } from "react";
import { LivesIn } from "../../homes/lives-in.tsx";
import type { Moved } from "../../homes/move-home-dialog.tsx";
import { useMayChange } from "../../homes/use-may-change.ts";
import { api } from "../../lib/api.ts";
import { fieldErrors } from "../../lib/field-errors.ts";
import { isNotHere, lookAgain, useLastError } from "../../lib/look-again.ts";
import { useCan } from "../../lib/me.ts";
import { notHere } from "../../lib/not-here.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { refreshPrompts, versionPages } from "../../lib/prompts.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { texts } from "../../texts/en.ts";
import { promptTexts as TEXTS } from "../../texts/prompts-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field } from "../../ui/input.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useAllPages } from "../../ui/list-pages.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { type NumberedVersion, numbered, versionByTag } from "./numbered.ts";
import { promptQuery } from "./queries.ts";
import { PROMPT_TABS, type PromptTab } from "./search.ts";
import { VersionTags } from "./tags.tsx";
import { VersionList } from "./version-list.tsx";
import { VersionView } from "./version-view.tsx";

const VersionForm = lazyPart(() => import("./version-form.tsx"), "VersionForm");
const DiffView = lazyPart(() => import("./diff-view.tsx"), "DiffView");
const CodeTab = lazyPart(() => import("./code-tab.tsx"), "CodeTab");
const UsageTab = lazyPart(() => import("./usage-tab.tsx"), "UsageTab");
const route = getRouteApi("/prompts/$prompt");

/** The page of a prompt: its versions, their content, differences and usage. */
export function PromptPage(): ReactNode {
	const { prompt } = route.useParams();
	const query = useQuery({ ...promptQuery(prompt), ...lookAgain });
	const { refetch } = query;
	const error = useLastError(prompt, query);
	// What is gone from one's sight is not shown from memory.
	const data = isNotHere(error) ? undefined : query.data;
	usePageTitle(data?.name ?? prompt, TEXTS.title);
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col overflow-auto outline-none">
				{error && !data && <PromptError error={error} onRetry={() => void refetch()} />}
				{!error && !data && <SkeletonRows rows={10} />}
				{data && <LoadedPrompt key={data.id} prompt={data} />}
			</main>
		</>
	);
}

function PromptError({ error, onRetry }: { error: Error; onRetry: () => void }): ReactNode {
	if (!(error instanceof ApiError && (error.status === 404 || error.status === 422)))
		return <ErrorState error={error} onRetry={onRetry} />;
	return (
		<div role="alert">
			<EmptyState
				{...notHere({ title: TEXTS.notFound, text: TEXTS.notFoundText })}
				actions={
					<Link to="/prompts" className={buttonClass("primary")}>
						{TEXTS.back}
					</Link>
				}
			/>
		</div>
	);
}

function LoadedPrompt({ prompt }: { prompt: Prompt }): ReactNode {
	const can = useCan();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const query = useInfiniteQuery(versionPages(prompt.name));
	// The numbers count from the first version, so all of them are needed.
	useAllPages(query, true);
	const isComplete = query.data !== undefined && !query.hasNextPage;
	const versions = isComplete ? numbered(query.data.pages.flatMap((page) => page.data)) : undefined;
	const chosen = search.version === undefined ? versions?.[0] : versions?.find(({ id }) => id === search.version);
	if (search.edit === "1" && can("write")) {
		return (
			<Suspense fallback={<SkeletonRows rows={10} />}>
				{versions && (
					<VersionForm
						prompt={prompt.name}
						from={chosen ?? versions[0]}
						onLeave={(made) =>
							void navigate({
								search: ({ edit: _edit, version, ...rest }) => (made || !version ? rest : { ...rest, version }),
							})
						}
					/>
				)}
			</Suspense>
		);
	}
	return (
		<div className="mx-auto flex w-full max-w-7xl flex-1 flex-col">
			<PromptHeader prompt={prompt} />
			<Loaded data={versions} query={query}>
				{(list) => (
					<div className="flex flex-1 max-md:flex-col">
						<VersionList versions={list} shown={chosen?.id} search={search} prompt={prompt.name} />
						{chosen ? (
							<Version prompt={prompt} version={chosen} versions={list} />
						) : (
							<EmptyState
								className="flex-1"
								title={list.length === 0 ? TEXTS.noVersions : TEXTS.versionMissing}
								text={list.length > 0 && TEXTS.versionMissingText}
								actions={
									list.length > 0 && <Button onClick={() => void navigate({ search: {} })}>{TEXTS.showNewest}</Button>
								}
							/>
						)}
					</div>
				)}
			</Loaded>
		</div>
	);
}

function PromptHeader({ prompt }: { prompt: Prompt }): ReactNode {
	const mayChange = useMayChange(prompt);
	const search = route.useSearch();
	const [task, setTask] = useState<"describe" | "delete" | undefined>();
	const close = () => setTask(undefined);
	return (
		<header className="flex flex-col gap-1 border-line border-b px-4 pt-3 pb-3">
			<Link to="/prompts" className="flex items-center gap-1.5 self-start text-muted hover:text-ink">
				<ArrowLeft size={13} aria-hidden />
				{TEXTS.back}
			</Link>
			<div className="flex min-w-0 items-center gap-2">
				<h1 className="flex min-w-0 items-center font-semibold text-xl">
					<span className="truncate">{prompt.name}</span>
					<CopyButton text={prompt.name} label={texts.action.copyNamed(TEXTS.form.name)} />
				</h1>
				{mayChange && (
					<span className="ml-auto flex shrink-0 items-center gap-1">
						<Link
							to="/prompts/$prompt"
							params={{ prompt: prompt.name }}
							search={{ ...search, edit: "1" }}
							className={buttonClass("primary")}
						>
							<Plus size={14} aria-hidden />
							{TEXTS.newVersion}
						</Link>
						<Menu
							align="end"
							trigger={
								<IconButton label={TEXTS.actions(prompt.name)}>
									<Ellipsis size={15} aria-hidden />
								</IconButton>
							}
						>
							<MenuItem onClick={() => setTask("describe")}>{TEXTS.describe}</MenuItem>
							<MenuItem danger onClick={() => setTask("delete")}>
								{TEXTS.delete}
							</MenuItem>
						</Menu>
					</span>
				)}
			</div>
			<p className="max-w-prose text-muted [overflow-wrap:anywhere]">{prompt.description || TEXTS.noDescription}</p>
			<PromptHome prompt={prompt} />
			{task === "describe" && <DescribeDialog prompt={prompt} onClose={close} />}
			{task === "delete" && <DeleteDialog prompt={prompt} onClose={close} />}
		</header>
	);
}

function PromptHome({ prompt }: { prompt: Prompt }): ReactNode {
	const queries = useQueryClient();
	const moved: Moved = {
		name: prompt.name,
		projectId: prompt.project_id,
		move: (project, isWiderAllowed) =>
			api.patch("/v1/prompts/{prompt_identifier}", {
				path: { prompt_identifier: prompt.id },
				body: { project, ...(isWiderAllowed ? { allow_wider_access: true } : {}) },
			}),
		refresh: () => refreshPrompts(queries),
	};
	return <LivesIn moved={moved} />;
}

function DescribeDialog({ prompt, onClose }: { prompt: Prompt; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const [description, setDescription] = useState(prompt.description ?? "");
	const save = useMutation({
		mutationFn: () =>
			api.patch("/v1/prompts/{prompt_identifier}", {
				path: { prompt_identifier: prompt.id },
				body: { description: description.trim() || null },
			}),
		onSuccess: async () => {
			await refreshPrompts(queries);
			onClose();
		},
	});
	const answer = fieldErrors(save.error, { description: [] });
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		save.mutate();
	};
	return (
		<FormDialog
			title={TEXTS.describeTitle(prompt.name)}
			action={texts.action.save}
			isPending={save.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.description} error={answer.at.description}>
				<textarea
					value={description}
					rows={4}
					maxLength={10_000}
					onChange={(event) => setDescription(event.target.value)}
					className="rounded border border-line-strong bg-surface p-2"
				/>
			</Field>
		</FormDialog>
	);
}

function DeleteDialog({ prompt, onClose }: { prompt: Prompt; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const navigate = route.useNavigate();
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/prompts/{prompt_identifier}", { path: { prompt_identifier: prompt.id } }),
		onSuccess: async () => {
			await navigate({ to: "/prompts" });
			queries.removeQueries({ queryKey: ["prompt", prompt.name] });
			await refreshPrompts(queries);
		},
	});
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(prompt.name)} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{TEXTS.deleteText}</p>
		</ConfirmDialog>
	);
}

function Version({
	prompt,
	version,
	versions,
}: {
	prompt: Prompt;
	version: NumberedVersion;
	versions: readonly NumberedVersion[];
}): ReactNode {
	const { tab = "prompt", against } = route.useSearch();
	const navigate = route.useNavigate();
	const contents: Record<PromptTab, () => ReactNode> = {
		prompt: () => <VersionView version={version} />,
		compare: () => (
			<DiffView
				version={version}
				versions={versions}
				against={against}
				onAgainst={(id) => void navigate({ search: (before) => ({ ...before, against: id }), replace: true })}
			/>
		),
		code: () => <CodeTab prompt={prompt.name} version={version} tags={[...versionByTag(versions).keys()]} />,
		traces: () => <UsageTab version={version.id} />,
	};
	return (
		<section aria-label={TEXTS.version(version.number)} className="flex min-w-0 flex-1 flex-col">
			<div className="flex flex-col gap-1 px-4 pt-3 pb-2">
				<div className="flex flex-wrap items-center gap-x-3 gap-y-1">
					<h2 className="font-semibold text-lg">{TEXTS.version(version.number)}</h2>
					<span className="text-muted">
						<RelativeTime time={version.created_at} />
					</span>
					<VersionTags version={version} versions={versions} />
				</div>
				{version.description && <p className="text-muted [overflow-wrap:anywhere]">{version.description}</p>}
			</div>
			<Tabs
				label={TEXTS.version(version.number)}
				value={tab}
				onChange={(next) =>
					void navigate({
						search: ({ tab: _tab, ...before }) => (next === "prompt" ? before : { ...before, tab: next }),
						replace: true,
					})
				}
				items={PROMPT_TABS.map((value) => ({
					value,
					label: TEXTS.tab[value],
					content: (
						<div className="p-4">
							<Suspense fallback={<SkeletonRows rows={6} />}>{value === tab && contents[value]()}</Suspense>
						</div>
					),
				}))}
			/>
		</section>
	);
}
