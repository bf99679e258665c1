import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Handshake from "lucide-react/icons/handshake";
import type { ReactNode } from "react";
import { useCan, useMe } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { queueQuery } from "../../lib/review-queues.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { ItemList } from "./items-page.tsx";
import { mayDecide } from "./may-decide.ts";

const route = getRouteApi("/reviews/$queue/disagreements");

/** The items that an adjudicator has to decide. */
export function DisagreementsPage(): ReactNode {
	const { queue: id } = route.useParams();
	const { data: queue } = useQuery(queueQuery(id));
	const me = useMe();
	const can = useCan();
	usePageTitle(TEXTS.tab.disagreements, queue?.name ?? TEXTS.title);
	if (queue === undefined) return <SkeletonRows rows={12} />;
	return (
		<>
			<p className="shrink-0 px-3 py-2 text-muted">
				{mayDecide(queue, me?.id, can("admin")) ? TEXTS.decideText : TEXTS.decideOthers}
			</p>
			<ItemList
				queue={queue}
				search={{ state: "disagreement" }}
				none={
					<EmptyState
						icon={<Handshake size={24} aria-hidden />}
						title={TEXTS.noDisagreements}
						text={TEXTS.noDisagreementsText}
					/>
				}
			/>
		</>
	);
}
