import type { Project } from "@spanward/client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import { type ReactNode, type RefObject, Suspense, useDeferredValue, useRef, useState } from "react";
import { useCan } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { texts } from "../../texts/en.ts";
import { projectAccessTexts } from "../../texts/project-access-en.ts";
import { projectsTexts } from "../../texts/projects-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SearchInput } from "../../ui/input.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";
import { CreateProjectDialog } from "./create-project-dialog.tsx";
import { isManaged, ProjectTable } from "./project-table.tsx";
import { activeProjectPages } from "./queries.ts";
import { type ProjectSort, type ProjectsSearch, withSort } from "./search.ts";

const AccessDialog = lazyPart(() => import("./access-dialog.tsx"), "AccessDialog");
const WaitingForSpan = lazyPart(() => import("../../ui/waiting-for-span.tsx"), "WaitingForSpan");

const route = getRouteApi("/");
const NONE: ReadonlySet<string> = new Set();
/** How often a page that waits for the first span polls. */
const WAITING_MS = 2_000;
const RELAXED_MS = 15_000;

export function ProjectsPage(): ReactNode {
	usePageTitle(projectsTexts.title);
	const can = useCan();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const [words, setWords] = useState(search.q ?? "");
	const [creating, setCreating] = useState(false);
	const field = useRef<HTMLInputElement>(null);
	const find = (text: string) => {
		setWords(text);
		const { q: _q, ...rest } = search;
		void navigate({ search: { ...rest, ...(text.trim() ? { q: text.trim() } : {}) }, replace: true });
	};
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
				<div className="flex flex-wrap items-center gap-2 px-4 pt-4 pb-3">
					<h1 className="mr-2 font-semibold text-xl">{projectsTexts.title}</h1>
					<SearchInput
						ref={field}
						label={projectsTexts.search}
						placeholder={projectsTexts.search}
						icon={<Search size={14} aria-hidden />}
						value={words}
						onChange={(event) => find(event.target.value)}
						boxClassName="w-64"
					/>
					{can("write") && (
						<Button look="primary" className="ml-auto" onClick={() => setCreating(true)}>
							<Plus size={14} aria-hidden />
							{projectsTexts.create}
						</Button>
					)}
				</div>
				<Projects
					words={useDeferredValue(words.trim())}
					sorting={search}
					onSort={(sort) => void navigate({ search: withSort(search, sort) })}
					onClear={() => find("")}
					field={field}
				/>
			</main>
			{creating && <CreateProjectDialog onClose={() => setCreating(false)} />}
		</>
	);
}

interface ProjectsProps {
	readonly words: string;
	readonly sorting: Pick<ProjectsSearch, "sort" | "order">;
	readonly onSort: (sort: ProjectSort) => void;
	readonly onClear: () => void;
	readonly field: RefObject<HTMLInputElement | null>;
}

function Projects({ words, sorting, onSort, onClear, field }: ProjectsProps): ReactNode {
	const query = useInfiniteQuery({
		...activeProjectPages(words || undefined, sorting),
		// The rows stay while they are sorted anew.
		placeholderData: keepPreviousData,
		// Not while the page is hidden.
		refetchInterval: ({ state }) => (isWaiting(words, toProjects(state.data)) ? WAITING_MS : RELAXED_MS),
	});
	useTableKeys(query, { searchField: field });
	const { data, error } = query;
	const projects = toProjects(data);
	const [selected, setSelected] = useState(NONE);
	/** As they were when the dialog was opened: what it did stays to be read. */
	const [changing, setChanging] = useState<readonly Project[]>();
	const chosen = projects.filter((project) => selected.has(project.id) && isManaged(project));
	if (error && !data) return <ErrorState error={error} onRetry={() => void query.refetch()} />;
	if (!data) return <SkeletonRows rows={6} className="px-2" />;
	if (projects.length === 0 && words) {
		return (
			<EmptyState
				title={projectsTexts.noMatch(words)}
				actions={<Button onClick={onClear}>{projectsTexts.clearSearch}</Button>}
			/>
		);
	}
	return (
		<>
			{projects.length > 0 && (
				<ProjectTable
					projects={projects}
					selection={{ selected, onSelect: setSelected }}
					sorting={sorting}
					onSort={onSort}
				/>
			)}
			<MoreRows query={query} what={projectsTexts.more} />
			{isWaiting(words, projects) && (
				<Suspense>
					<WaitingForSpan title={texts.waiting.title} project={projects[0]?.name ?? "default"} />
				</Suspense>
			)}
			{chosen.length > 0 && (
				<section
					aria-label={projectAccessTexts.bar}
					className="sticky bottom-0 flex flex-wrap items-center gap-2 border-line border-t bg-sunken px-4 py-1.5"
				>
					<span role="status" className="font-medium">
						{projectAccessTexts.selected(chosen.length)}
					</span>
					<IconButton label={projectAccessTexts.clear} onClick={() => setSelected(NONE)}>
						<X size={16} aria-hidden />
					</IconButton>
					<Button className="ml-auto" onClick={() => setChanging(chosen)}>
						{projectAccessTexts.action}
					</Button>
				</section>
			)}
			{changing && (
				<Suspense>
					<AccessDialog projects={changing} onClose={() => setChanging(undefined)} />
				</Suspense>
			)}
		</>
	);
}

function toProjects(data: { readonly pages: readonly { readonly data: Project[] }[] } | undefined): Project[] {
	return data?.pages.flatMap((page) => page.data) ?? [];
}

/** Whether no span was ever sent, so that the page says how to send one. */
function isWaiting(words: string, projects: readonly Project[]): boolean {
	return !words && projects.length <= 1 && !projects[0]?.activity?.newest_trace_start_time;
}
