import type { Dataset } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import FlaskConical from "lucide-react/icons/flask-conical";
import type { ReactNode } from "react";
import { useMayChange } from "../../homes/use-may-change.ts";
import { datasetQuery } from "../../lib/datasets.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { present } from "../../lib/search-params.ts";
import { ownServer } from "../../lib/snippet-server.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { experimentJobTexts } from "../../texts/experiment-jobs-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { CodeSnippets } from "../../ui/code-snippets.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ExperimentList } from "./experiment-list.tsx";
import { JobStrip } from "./job-strip.tsx";
import { experimentSnippets } from "./snippets.ts";
import { TrendStrip } from "./trend-strip.tsx";

const route = getRouteApi("/datasets/$dataset/experiments");
const TEXTS = dataTexts.experiments;

/** The experiments of a dataset, and how their scores changed over time. */
export function DatasetExperimentsPage(): ReactNode {
	const { dataset } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const { data } = useQuery(datasetQuery(dataset));
	usePageTitle(TEXTS.title, data?.name ?? dataset);
	return (
		<>
			<JobStrip
				dataset={dataset}
				shown={search.jobs}
				onShown={(jobs) => void navigate({ search: (before) => present({ ...before, jobs }) })}
			/>
			<ExperimentList
				dataset={dataset}
				search={search}
				onSearch={(next, how) => void navigate({ search: next, replace: how !== "push" })}
				above={(experiments) => <TrendStrip experiments={experiments} />}
				empty={<NoExperiments dataset={data} />}
			/>
		</>
	);
}

function NoExperiments({ dataset }: { dataset: Dataset | undefined }): ReactNode {
	const mayChange = useMayChange(dataset);
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<EmptyState
				icon={<FlaskConical size={24} aria-hidden />}
				title={TEXTS.none}
				text={TEXTS.noneText}
				className="pb-6"
				actions={
					dataset &&
					mayChange && (
						<Link to="/playground" search={{ dataset: dataset.id }} className={buttonClass("primary")}>
							{experimentJobTexts.runExperiment}
						</Link>
					)
				}
			/>
			{dataset && mayChange && (
				<section aria-label={TEXTS.noneOfDataset} className="mx-auto flex max-w-2xl flex-col gap-2 px-4 pb-8">
					<h2 className="font-semibold">{TEXTS.noneOfDataset}</h2>
					<CodeSnippets snippets={experimentSnippets(ownServer(), dataset.name)} />
				</section>
			)}
		</div>
	);
}
