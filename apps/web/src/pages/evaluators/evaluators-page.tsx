import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, type RefObject, Suspense, useRef } from "react";
import { EvaluatorKind } from "../../evaluating/evaluator-kind.tsx";
import { type Evaluator, evaluatorPages, templatesQuery } from "../../evaluating/queries.ts";
import { useCan } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { evaluatorTexts as TEXTS } from "../../texts/evaluators-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Chip } from "../../ui/chip.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { TypedSearch } from "../../ui/typed-search.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";

const EvaluatorForm = lazyPart(() => import("./evaluator-form.tsx"), "EvaluatorForm");
const route = getRouteApi("/evaluators");

/** The evaluators of this server. */
export function EvaluatorsPage(): ReactNode {
	usePageTitle(TEXTS.title);
	const can = useCan();
	const { q, archived, create, template } = route.useSearch();
	const navigate = route.useNavigate();
	const search = useRef<HTMLInputElement>(null);
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
				{create === "1" && can("write") ? (
					<Suspense fallback={<SkeletonRows rows={8} />}>
						<EvaluatorForm template={template} onLeave={() => void navigate({ search: {} })} />
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
							<SegmentedControl
								label={TEXTS.archivedFilter}
								value={archived === "1" ? "archived" : "current"}
								onChange={(next) =>
									void navigate({
										search: ({ archived: _archived, ...rest }) =>
											next === "archived" ? { ...rest, archived: "1" } : rest,
									})
								}
								choices={[
									{ value: "current", label: TEXTS.current },
									{ value: "archived", label: TEXTS.archived },
								]}
							/>
							{can("write") && (
								<Link to="/evaluators" search={{ create: "1" }} className={buttonClass("primary", "ml-auto")}>
									<Plus size={14} aria-hidden />
									{TEXTS.create}
								</Link>
							)}
						</div>
						<EvaluatorList field={search} />
					</div>
				)}
			</main>
		</>
	);
}

function EvaluatorList({ field }: { field: RefObject<HTMLInputElement | null> }): ReactNode {
	const { q, archived } = route.useSearch();
	const navigate = route.useNavigate();
	const query = useInfiniteQuery(evaluatorPages({ ...(q ? { q } : {}), ...(archived ? { archived } : {}) }));
	useTableKeys(query, { searchField: field });
	return (
		<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
			{(evaluators) => {
				if (evaluators.length > 0)
					return (
						<div className="px-2">
							<Table label={TEXTS.list} columns={COLUMNS} rows={evaluators} rowKey={({ id }) => id} />
							<MoreRows query={query} what={TEXTS.more} />
						</div>
					);
				if (!q && !archived) return <NoEvaluators />;
				return (
					<EmptyState
						title={q ? TEXTS.noMatch : TEXTS.noneArchived}
						actions={<Button onClick={() => void navigate({ search: {} })}>{TEXTS.showAll}</Button>}
					/>
				);
			}}
		</Loaded>
	);
}

function NoEvaluators(): ReactNode {
	const can = useCan();
	const { data: templates = [] } = useQuery(templatesQuery);
	if (!can("write")) return <EmptyState title={TEXTS.none} text={`${TEXTS.noneText} ${TEXTS.noneReadOnly}`} />;
	return (
		<EmptyState title={TEXTS.none} text={TEXTS.noneText}>
			<ul className="mt-4 grid w-full gap-2 text-left sm:grid-cols-2 lg:grid-cols-3">
				{templates.map(({ key, title, description }) => (
					<li key={key}>
						<Link
							to="/evaluators"
							search={{ create: "1", template: key }}
							className="flex h-full flex-col gap-1 rounded border border-line p-3 hover:bg-hover"
						>
							<span className="font-medium">{title}</span>
							<span className="text-muted text-sm">{description}</span>
						</Link>
					</li>
				))}
			</ul>
		</EmptyState>
	);
}

const COLUMNS: TableColumn<Evaluator>[] = [
	{
		key: "name",
		title: TEXTS.column.name,
		cell: ({ name, description }) => (
			<>
				<Link
					to="/evaluators/$evaluator"
					params={{ evaluator: name }}
					className="block truncate font-medium hover:text-accent hover:underline"
				>
					{name}
				</Link>
				{description && <span className="block truncate text-muted">{description}</span>}
			</>
		),
	},
	{
		key: "kind",
		title: TEXTS.column.kind,
		className: "w-28",
		cell: ({ kind }) => <EvaluatorKind kind={kind} />,
	},
	{
		key: "outputs",
		title: TEXTS.column.outputs,
		className: "w-56 max-sm:hidden",
		cell: ({ outputs }) => (
			<span className="flex flex-wrap gap-1">
				{outputs.map((name) => (
					<Chip key={name}>{name}</Chip>
				))}
			</span>
		),
	},
	{
		key: "version",
		title: TEXTS.column.version,
		className: "w-28 max-md:hidden",
		cell: ({ latest_version: { number } }) => TEXTS.version(number),
	},
	{
		key: "changed",
		title: TEXTS.column.changed,
		align: "right",
		className: "w-28 max-sm:hidden",
		cell: ({ updated_at }) => <RelativeTime time={updated_at} />,
	},
];
