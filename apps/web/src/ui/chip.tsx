import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { classNames } from "./class-names.ts";

export type ChipTone = "plain" | "accent" | "danger" | "warn";

const TONES: Record<ChipTone, string> = {
	plain: "bg-sunken text-ink",
	accent: "bg-accent-soft text-accent",
	danger: "bg-danger-soft text-danger",
	warn: "bg-warn-soft text-warn",
};

/** A small fact in a box. */
export function Chip({
	tone = "plain",
	className,
	children,
	title,
}: {
	tone?: ChipTone;
	className?: string;
	children: ReactNode;
	title?: string;
}): ReactNode {
	return (
		<span
			title={title}
			className={classNames(
				"inline-flex h-5 max-w-full items-center gap-1 truncate rounded px-1.5 text-sm",
				TONES[tone],
				className,
			)}
		>
			{children}
		</span>
	);
}

export interface FilterChipProps {
	readonly field: string;
	readonly value: string;
	readonly onRemove: () => void;
	/** Opens its editor. */
	readonly onEdit?: () => void;
}

/** A filter that is on: what it compares, with what, and a button that takes it off. */
export function FilterChip({ field, value, onRemove, onEdit }: FilterChipProps): ReactNode {
	const text = (
		<>
			<span className="text-muted">{field}</span>
			<span className="truncate">{value}</span>
		</>
	);
	return (
		<span className="inline-flex h-6 max-w-72 shrink-0 items-center rounded bg-accent-soft text-sm">
			{onEdit ? (
				<button
					type="button"
					onClick={onEdit}
					className="flex h-full min-w-0 items-center gap-1.5 rounded-l pr-1 pl-2 hover:bg-hover"
				>
					{text}
				</button>
			) : (
				<span className="flex min-w-0 items-center gap-1.5 pr-1 pl-2">{text}</span>
			)}
			<button
				type="button"
				aria-label={texts.filter.remove(`${field} ${value}`)}
				onClick={onRemove}
				className="flex h-full items-center rounded-r px-1 text-muted hover:bg-hover hover:text-ink"
			>
				<X size={13} aria-hidden />
			</button>
		</span>
	);
}
