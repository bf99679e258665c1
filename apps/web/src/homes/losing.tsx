import type { RestrictingEffects } from "@spanward/client";
import type { ReactNode } from "react";
import { accessTexts as TEXTS } from "../texts/access-en.ts";
import { RelativeTime } from "../ui/relative-time.tsx";

/** Who loses a project by a change, and whose keys will be refused. */
export function Losing({ effects }: { effects: RestrictingEffects }): ReactNode {
	const { keeping_count: keeping, losing_count: count, losing, refused_keys: keys } = effects;
	return (
		<>
			<p>{TEXTS.keep(keeping)}</p>
			{count === 0 ? (
				<p>{TEXTS.loseNobody}</p>
			) : (
				<p className="[overflow-wrap:anywhere]">
					{TEXTS.lose(count)} {losing.map(({ username }) => username).join(", ")}
					{count > losing.length && ", …"}
				</p>
			)}
			{keys.length > 0 && (
				<div>
					<p>{TEXTS.keysRefused}</p>
					<ul className="list-disc pl-5">
						{keys.map((key) => (
							<li key={key.hint}>
								{TEXTS.keyOf(key.name, key.owner)} <RelativeTime time={key.last_used_at} />
							</li>
						))}
					</ul>
				</div>
			)}
		</>
	);
}
