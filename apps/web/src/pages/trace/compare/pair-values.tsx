import { type ReactNode, useState } from "react";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { TextContent } from "../../../ui/content/text-content.tsx";
import { differs, type PairValue } from "./pair-facts.ts";

type Side = "left" | "right";

const SIDES = ["left", "right"] as const;
const SHOWN = 40;
const SCREENFUL = { characters: 300, lines: 6 };

/** Values of two spans as a table: those that differ, and on demand the equal ones. */
export function PairValues({
	label,
	values,
	only,
	withDelta = false,
}: {
	label: string;
	values: readonly PairValue[];
	/** The side that has a span, where there is only one. */
	only: Side | undefined;
	withDelta?: boolean;
}): ReactNode {
	const [isWhole, setWhole] = useState(false);
	const differing = values.filter(differs);
	const shown = isWhole ? values : differing.slice(0, SHOWN);
	const isCut = differing.length > SHOWN;
	const sides = only ? [only] : SIDES;
	const hasDelta = withDelta && only === undefined;
	return (
		<>
			{shown.length > 0 && (
				<table aria-label={label} className="w-full table-fixed border-collapse">
					<thead>
						<tr className="border-line border-b text-left text-muted text-sm">
							<th scope="col" className="w-24 py-1 @[34rem]:w-32 pr-2 font-normal @[44rem]:w-48">
								{TEXTS.fact.field}
							</th>
							{sides.map((side) => (
								<th key={side} scope="col" className="py-1 pr-2 font-normal">
									{TEXTS.side[side]}
								</th>
							))}
							{hasDelta && (
								<th scope="col" className="w-20 py-1 text-right font-normal">
									{TEXTS.fact.difference}
								</th>
							)}
						</tr>
					</thead>
					<tbody>
						{shown.map((value) => (
							<tr
								key={value.name}
								data-differs={differs(value) || undefined}
								className={classNames("border-line border-b align-top", !only && !differs(value) && "text-muted")}
							>
								<th scope="row" className="py-1 pr-2 text-left font-normal text-muted text-sm [overflow-wrap:anywhere]">
									{value.name}
								</th>
								{sides.map((side) => (
									<Value key={side} text={value[side]} />
								))}
								{hasDelta && <td className="whitespace-nowrap py-1 text-right tabular-nums">{value.delta}</td>}
							</tr>
						))}
					</tbody>
				</table>
			)}
			{shown.length < values.length && (
				<Button look="quiet" onClick={() => setWhole(true)}>
					{isCut ? TEXTS.more(values.length - shown.length) : TEXTS.moreEqual(values.length - shown.length)}
				</Button>
			)}
		</>
	);
}

function Value({ text }: { text: string | undefined }): ReactNode {
	return (
		<td className="py-1 pr-2 [overflow-wrap:anywhere]">
			{text === undefined ? (
				<span className="text-muted italic">{TEXTS.absent}</span>
			) : (
				<TextContent text={text} plain screenful={SCREENFUL} />
			)}
		</td>
	);
}
