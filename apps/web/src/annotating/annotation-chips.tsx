import { useQuery } from "@tanstack/react-query";
import Braces from "lucide-react/icons/braces";
import MessageSquarePlus from "lucide-react/icons/message-square-plus";
import Scale from "lucide-react/icons/scale";
import StickyNote from "lucide-react/icons/sticky-note";
import { Fragment, type ReactNode } from "react";
import { useMayIn } from "../lib/project-role.ts";
import { annotatingTexts as TEXTS } from "../texts/annotating-en.ts";
import { IconButton } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { formatScore } from "./annotation-value.tsx";
import { annotationsQuery } from "./queries.ts";
import { type Annotation, type AnnotationTarget, NOTE } from "./types.ts";

/** The most chips; the panel shows all annotations. */
const SHOWN = 4;

/** Short forms of the annotations of a target, and the button that opens the annotation panel. */
export function AnnotationChips({
	project,
	target,
	isKnown,
	onOpen,
}: {
	project: string;
	target: Pick<AnnotationTarget, "kind" | "id">;
	/** Whether the target is loaded, so that its annotations can be requested. */
	isKnown: boolean;
	onOpen: () => void;
}): ReactNode {
	const mayIn = useMayIn(project);
	const { data = [] } = useQuery({ ...annotationsQuery(project, target), enabled: isKnown });
	const button = target.kind === "trace" ? TEXTS.annotateTrace : TEXTS.annotate;
	return (
		<span className="inline-flex min-w-0 items-center gap-1">
			{isKnown && data.length > 0 && (
				<button
					type="button"
					onClick={onOpen}
					title={data.map(inWords).join("\n")}
					className="inline-flex min-w-0 items-center gap-1 rounded"
				>
					<span className="sr-only">{TEXTS.annotated(data.length)}: </span>
					{data.slice(0, SHOWN).map((annotation) => (
						<Fragment key={annotation.id}>
							<AnnotationChip annotation={annotation} />{" "}
						</Fragment>
					))}
					{data.length > SHOWN && <span className="text-muted text-sm">{TEXTS.more(data.length - SHOWN)}</span>}
				</button>
			)}
			{mayIn("annotator") && (
				<IconButton label={button} shortcut={target.kind === "trace" ? "⇧E" : "E"} onClick={onOpen} className="size-6">
					<MessageSquarePlus size={14} aria-hidden />
				</IconButton>
			)}
		</span>
	);
}

/** An annotation in short: its name, its label, else its score. */
function AnnotationChip({ annotation }: { annotation: Annotation }): ReactNode {
	const { name, result, annotator_kind: kind } = annotation;
	if (name === NOTE)
		return (
			<>
				<StickyNote size={13} aria-hidden className="shrink-0 text-muted" />
				<span className="sr-only">{inWords(annotation)}</span>
			</>
		);
	return (
		<Chip>
			{kind === "LLM" && <Scale size={12} aria-hidden className="shrink-0 text-muted" />}
			{kind === "CODE" && <Braces size={12} aria-hidden className="shrink-0 text-muted" />}
			<span className="truncate text-muted">{name}</span> <span className="truncate">{valueText(result)}</span>
		</Chip>
	);
}

function valueText(result: Annotation["result"]): string {
	if (result?.label) return result.label;
	return result?.score === null || result?.score === undefined ? "" : formatScore(result.score);
}

function inWords({ name, result }: Annotation): string {
	if (name === NOTE) return `${TEXTS.note}: ${result?.explanation?.slice(0, 100) ?? ""}`;
	return `${name} ${valueText(result)}`.trim();
}
