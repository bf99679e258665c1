import type { SpanKind } from "@spanward/semconv";
import ArrowDownWideNarrow from "lucide-react/icons/arrow-down-wide-narrow";
import Bot from "lucide-react/icons/bot";
import Circle from "lucide-react/icons/circle-dashed";
import ClipboardCheck from "lucide-react/icons/clipboard-check";
import FileSearch from "lucide-react/icons/file-search";
import Grid from "lucide-react/icons/grid-3x3";
import Link2 from "lucide-react/icons/link-2";
import MessageSquare from "lucide-react/icons/message-square";
import Shield from "lucide-react/icons/shield-check";
import Split from "lucide-react/icons/split";
import TextQuote from "lucide-react/icons/text-quote";
import Wrench from "lucide-react/icons/wrench";
import type { ComponentType, ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { classNames } from "./class-names.ts";

interface KindLook {
	readonly icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
	readonly text: string;
	readonly fill: string;
}

/** Icon and hue of each kind, the same in list, tree and waterfall. The hue is never alone: the icon tells too. */
const LOOKS: Record<SpanKind, KindLook> = {
	LLM: { icon: MessageSquare, text: "text-kind-llm", fill: "bg-kind-llm" },
	CHAIN: { icon: Link2, text: "text-kind-chain", fill: "bg-kind-chain" },
	AGENT: { icon: Bot, text: "text-kind-agent", fill: "bg-kind-agent" },
	TOOL: { icon: Wrench, text: "text-kind-tool", fill: "bg-kind-tool" },
	RETRIEVER: { icon: FileSearch, text: "text-kind-retriever", fill: "bg-kind-retriever" },
	EMBEDDING: { icon: Grid, text: "text-kind-embedding", fill: "bg-kind-embedding" },
	RERANKER: { icon: ArrowDownWideNarrow, text: "text-kind-reranker", fill: "bg-kind-reranker" },
	GUARDRAIL: { icon: Shield, text: "text-kind-guardrail", fill: "bg-kind-guardrail" },
	EVALUATOR: { icon: ClipboardCheck, text: "text-kind-evaluator", fill: "bg-kind-evaluator" },
	PROMPT: { icon: TextQuote, text: "text-kind-prompt", fill: "bg-kind-prompt" },
	DECISION: { icon: Split, text: "text-kind-decision", fill: "bg-kind-decision" },
	UNKNOWN: { icon: Circle, text: "text-kind-unknown", fill: "bg-kind-unknown" },
};

function isKind(kind: string): kind is SpanKind {
	return Object.hasOwn(LOOKS, kind);
}

/** The kind as our list knows it: `retriever` → RETRIEVER, anything else UNKNOWN. */
export function spanKind(kind: string | null | undefined): SpanKind {
	const upper = kind?.toUpperCase() ?? "";
	return isKind(upper) ? upper : "UNKNOWN";
}

/** Every kind, in the order of lists and menus. */
export const ALL_SPAN_KINDS: readonly SpanKind[] = Object.keys(LOOKS).filter(isKind);

/** Class names of a kind's colour: `text` for text and icons, `fill` for bars. */
export function spanKindColors(kind: string | null | undefined): { text: string; fill: string } {
	return LOOKS[spanKind(kind)];
}

export function SpanKindIcon({
	kind,
	size = 14,
	className,
}: {
	kind: string;
	size?: number;
	className?: string;
}): ReactNode {
	const known = spanKind(kind);
	const { icon: Icon, text } = LOOKS[known];
	return (
		<span title={texts.kind[known]} className={classNames("inline-flex shrink-0", text, className)}>
			<Icon size={size} aria-hidden />
			<span className="sr-only">{texts.kind[known]}</span>
		</span>
	);
}

/** Icon and name of a kind. */
export function SpanKindLabel({ kind, className }: { kind: string; className?: string }): ReactNode {
	const known = spanKind(kind);
	const { icon: Icon, text } = LOOKS[known];
	return (
		<span className={classNames("inline-flex items-center gap-1 whitespace-nowrap", text, className)}>
			<Icon size={14} aria-hidden />
			{texts.kind[known]}
		</span>
	);
}
