import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import FlaskConical from "lucide-react/icons/flask-conical";
import { type ReactNode, useMemo } from "react";
import { datasetPages } from "../../lib/datasets.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { present } from "../../lib/search-params.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { dataTexts } from "../../texts/data-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useAllPages } from "../../ui/list-pages.tsx";
import { ExperimentList } from "./experiment-list.tsx";
import { JobStrip } from "./job-strip.tsx";

const route = getRouteApi("/experiments");
const TEXTS = dataTexts.experiments;

/** The experiments of all datasets. */
export function ExperimentsPage(): ReactNode {
	usePageTitle(TEXTS.title);
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const query = useInfiniteQuery(datasetPages);
	useAllPages(query, true);
	const names = useMemo(
		() => new Map(query.data?.pages.flatMap((page) => page.data.map(({ id, name }) => [id, name] as const))),
		[query.data],
	);
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				<h1 className="px-4 pt-4 pb-1 font-semibold text-xl">{TEXTS.title}</h1>
				<JobStrip
					dataset={undefined}
					shown={search.jobs}
					onShown={(jobs) => void navigate({ search: (before) => present({ ...before, jobs }) })}
				/>
				<ExperimentList
					dataset={undefined}
					datasets={names}
					search={search}
					onSearch={(next, how) => void navigate({ search: next, replace: how !== "push" })}
					empty={
						<EmptyState
							icon={<FlaskConical size={24} aria-hidden />}
							title={TEXTS.none}
							text={TEXTS.noneText}
							actions={
								<Link to="/datasets" className={buttonClass("primary")}>
									{dataTexts.datasets.title}
								</Link>
							}
						/>
					}
				/>
			</main>
		</>
	);
}
