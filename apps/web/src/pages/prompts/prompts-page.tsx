import type { ListedPrompt } from "@spanward/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, type RefObject, Suspense, useRef } from "react";
import { useCan } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { promptTexts as TEXTS } from "../../texts/prompts-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { FilterChip } from "../../ui/chip.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { TypedSearch } from "../../ui/typed-search.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";
import { promptPages } from "./queries.ts";
import { TagChip } from "./tags.tsx";

const PromptForm = lazyPart(() => import("./prompt-form.tsx"), "PromptForm", { isOver: true });
const route = getRouteApi("/prompts");

/** The prompts of this server. */
export function PromptsPage(): ReactNode {
	usePageTitle(TEXTS.title);
	const can = useCan();
	const { q, tag, create } = route.useSearch();
	const navigate = route.useNavigate();
	const search = useRef<HTMLInputElement>(null);
	const isCreating = create === "1" && can("write");
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
				{isCreating ? (
					<Suspense fallback={<SkeletonRows rows={8} />}>
						<PromptForm onLeave={() => void navigate({ search: {} })} />
					</Suspense>
				) : (
					<div className="mx-auto flex max-w-6xl flex-col">
						<div className="flex flex-wrap items-center gap-2 px-4 pt-4 pb-3">
							<h1 className="mr-2 font-semibold text-xl">{TEXTS.title}</h1>
							<TypedSearch
								label={TEXTS.search}
								words={q ?? ""}
								inputRef={search}
								onWords={(words) =>
									void navigate({
										search: ({ q: _q, ...rest }) => (words ? { ...rest, q: words } : rest),
										replace: true,
									})
								}
							/>
							{tag && (
								<FilterChip
									field={TEXTS.filterTag}
									value={tag}
									onRemove={() => void navigate({ search: ({ tag: _tag, ...rest }) => rest })}
								/>
							)}
							{can("write") && (
								<Link to="/prompts" search={{ create: "1" }} className={buttonClass("primary", "ml-auto")}>
									<Plus size={14} aria-hidden />
									{TEXTS.create}
								</Link>
							)}
						</div>
						<PromptList field={search} />
					</div>
				)}
			</main>
		</>
	);
}

function PromptList({ field }: { field: RefObject<HTMLInputElement | null> }): ReactNode {
	const { q, tag } = route.useSearch();
	const can = useCan();
	const query = useInfiniteQuery(promptPages({ ...(q ? { q } : {}), ...(tag ? { tag } : {}) }));
	useTableKeys(query, { searchField: field });
	return (
		<Loaded data={query.data} query={query}>
			{(data) => {
				const prompts = data.pages.flatMap((page) => page.data);
				if (prompts.length > 0)
					return (
						<div className="px-2">
							<Table label={TEXTS.list} columns={COLUMNS} rows={prompts} rowKey={(prompt) => prompt.id} />
							<MoreRows query={query} what={TEXTS.morePrompts} />
						</div>
					);
				return q || tag ? <NoMatch /> : <NoPrompts canWrite={can("write")} />;
			}}
		</Loaded>
	);
}

function NoMatch(): ReactNode {
	const navigate = route.useNavigate();
	return (
		<EmptyState
			title={TEXTS.noMatch}
			actions={<Button onClick={() => void navigate({ search: {} })}>{TEXTS.showAll}</Button>}
		/>
	);
}

function NoPrompts({ canWrite }: { canWrite: boolean }): ReactNode {
	return (
		<EmptyState
			title={TEXTS.none}
			text={canWrite ? TEXTS.noneText : `${TEXTS.noneText} ${TEXTS.noneReadOnly}`}
			actions={
				canWrite && (
					<Link to="/prompts" search={{ create: "1" }} className={buttonClass("primary")}>
						{TEXTS.create}
					</Link>
				)
			}
		/>
	);
}

const COLUMNS: TableColumn<ListedPrompt>[] = [
	{
		key: "name",
		title: TEXTS.column.name,
		cell: (prompt) => (
			<>
				<Link
					to="/prompts/$prompt"
					params={{ prompt: prompt.name }}
					className="block truncate font-medium hover:text-accent hover:underline"
				>
					{prompt.name}
				</Link>
				{prompt.description && <span className="block truncate text-muted">{prompt.description}</span>}
			</>
		),
	},
	{
		key: "newest",
		title: TEXTS.column.newest,
		className: "w-44 max-md:hidden",
		cell: ({ version_count: count, latest_version: latest }) =>
			latest ? (
				<>
					{TEXTS.version(count)}
					<span className="block truncate text-muted">{latest.model_name}</span>
				</>
			) : (
				<span className="text-muted">{TEXTS.noVersions}</span>
			),
	},
	{
		key: "tags",
		title: TEXTS.column.tags,
		className: "w-64 max-sm:hidden",
		cell: (prompt) => (
			<span className="flex flex-wrap gap-1">
				{prompt.tags.map((name) => (
					<Link
						key={name}
						to="/prompts"
						search={{ tag: name }}
						title={TEXTS.filterByTag(name)}
						className="max-w-full rounded hover:underline"
					>
						<TagChip name={name} />
					</Link>
				))}
			</span>
		),
	},
	{
		key: "changed",
		title: TEXTS.column.changed,
		align: "right",
		className: "w-28",
		cell: (prompt) => <RelativeTime time={lastChange(prompt)} />,
	},
];

/** Time of the last change, of the prompt itself or by a new version. */
function lastChange({ updated_at: updated, latest_version: latest }: ListedPrompt): string {
	return latest !== null && Date.parse(latest.created_at) > Date.parse(updated) ? latest.created_at : updated;
}
