import { useQuery } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { attributeKeysQuery } from "../filtering/attribute-keys-query.ts";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { errorText } from "../ui/error-state.tsx";
import { Input } from "../ui/input.tsx";
import { Popover } from "../ui/popover.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { COUNTED, type FacetRows } from "./facet-fields.ts";
import { facetsTexts as TEXTS } from "./facets-en.ts";

const MOST_OFFERED = 100;

export interface PinMenuProps {
	readonly project: string;
	readonly of: FacetRows;
	readonly pinned: readonly string[];
	readonly onPin: (key: string) => void;
}

/** Chooses an attribute whose values are counted, too. */
export function PinMenu(props: PinMenuProps): ReactNode {
	const [isOpen, setOpen] = useState(false);
	return (
		<Popover
			label={TEXTS.pin}
			open={isOpen}
			onOpenChange={setOpen}
			className="w-72"
			trigger={
				<button type="button" className={buttonClass("quiet", "mx-2 my-1 text-muted")}>
					<Plus size={14} aria-hidden />
					{TEXTS.pin}
				</button>
			}
		>
			<Keys
				{...props}
				onPin={(key) => {
					setOpen(false);
					props.onPin(key);
				}}
			/>
		</Popover>
	);
}

function Keys({ project, of, pinned, onPin }: PinMenuProps): ReactNode {
	const [typed, setTyped] = useState("");
	const counted = COUNTED[of];
	const { data, error, refetch } = useQuery(attributeKeysQuery(project, counted === "errors" ? "spans" : counted));
	const words = typed.trim().toLowerCase();
	const offered = (data ?? [])
		.filter(({ in: place, types }) => (place === "attributes" || place === "metadata") && types.join() !== "list")
		.map(({ key, in: place, share }) => ({ key: place === "metadata" ? `metadata.${key}` : key, share }))
		.filter(({ key }) => key.toLowerCase().includes(words) && !pinned.includes(key))
		.slice(0, MOST_OFFERED);
	return (
		<div className="flex flex-col gap-2">
			<Input
				type="search"
				aria-label={TEXTS.pinFind}
				placeholder={TEXTS.pinFind}
				value={typed}
				onChange={(event) => setTyped(event.target.value)}
			/>
			{error && !data ? (
				<div role="alert" className="flex items-center gap-2 text-danger text-sm">
					{errorText(error).message}
					<Button onClick={() => void refetch()}>{texts.action.retry}</Button>
				</div>
			) : data === undefined ? (
				<div role="status" aria-label={texts.state.loading} className="flex flex-col gap-3 py-1">
					<Skeleton className="w-3/4" />
					<Skeleton className="w-1/2" />
				</div>
			) : offered.length === 0 ? (
				<p className="text-muted text-sm">{TEXTS.pinNone}</p>
			) : (
				<ul aria-label={TEXTS.pinHint} className="max-h-72 overflow-auto">
					{offered.map(({ key, share }) => (
						<li key={key}>
							<button
								type="button"
								onClick={() => onPin(key)}
								className="flex h-7 w-full items-center gap-2 rounded px-1.5 text-left hover:bg-hover pointer-coarse:h-11"
							>
								<span className="min-w-0 flex-1 truncate" title={key}>
									{key}
								</span>
								<span className="shrink-0 text-muted text-sm">{TEXTS.share(share)}</span>
							</button>
						</li>
					))}
				</ul>
			)}
		</div>
	);
}
