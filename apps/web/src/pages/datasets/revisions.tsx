import { useInfiniteQuery } from "@tanstack/react-query";
import ChevronRight from "lucide-react/icons/chevron-right";
import { type ReactNode, useState } from "react";
import { dataTexts } from "../../texts/data-en.ts";
import { Chip } from "../../ui/chip.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ExampleContent } from "./example-content.tsx";
import { type Revision, revisionPages } from "./example-query.ts";

const TEXTS = dataTexts.examples;

/** The revisions of an example, the newest first; the content opens below its line. */
export function Revisions({ dataset, example }: { dataset: string; example: string }): ReactNode {
	const query = useInfiniteQuery(revisionPages(dataset, example));
	return (
		<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
			{(revisions) => (
				<>
					<ol aria-label={TEXTS.revisionsOf}>
						{revisions.map((revision) => (
							<RevisionLine key={revision.id} revision={revision} />
						))}
					</ol>
					<MoreRows query={query} what={TEXTS.moreRevisions} />
				</>
			)}
		</Loaded>
	);
}

function RevisionLine({ revision }: { revision: Revision }): ReactNode {
	const [isOpen, setOpen] = useState(false);
	return (
		<li className="border-line border-b">
			<button
				type="button"
				aria-expanded={isOpen}
				onClick={() => setOpen(!isOpen)}
				className="flex h-8 w-full items-center gap-2 px-3 text-left hover:bg-hover"
			>
				<ChevronRight size={14} aria-hidden className={classNames("text-muted", isOpen && "rotate-90")} />
				{TEXTS.revision[revision.kind]}
				<RelativeTime time={revision.created_at} className="text-muted" />
				{revision.until_version_id === null && <Chip tone="accent">{TEXTS.newestRevision}</Chip>}
			</button>
			{isOpen && <ExampleContent content={revision} />}
		</li>
	);
}
