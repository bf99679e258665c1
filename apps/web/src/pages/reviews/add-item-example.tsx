import type { ReviewItem, ReviewQueue } from "@spanward/client";
import { type ReactNode, Suspense, useState } from "react";
import { useMayAddFrom } from "../../lib/project-role.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { Key } from "../../ui/keys.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { spanProjectOf } from "./span-project.ts";

const ItemExampleDialog = lazyPart(() => import("./item-example-dialog.tsx"), "ItemExampleDialog", { isOver: true });
const LABEL = reviewTexts.pane.gold;

/** What makes an item an example: a button and a key, unless the user may not. */
export function AddItemExample({ queue, item }: { queue: ReviewQueue; item: ReviewItem }): ReactNode {
	const mayAdd = useMayAddFrom(spanProjectOf(item));
	return mayAdd && item.state !== "removed" ? <Offered queue={queue} item={item} /> : null;
}

function Offered({ queue, item }: { queue: ReviewQueue; item: ReviewItem }): ReactNode {
	const [isOpen, setOpen] = useState(false);
	const open = () => setOpen(true);
	useShortcuts({
		title: reviewTexts.goldItem.keys,
		isFirst: true,
		shortcuts: [{ keys: ["g"], label: LABEL, run: open }],
	});
	return (
		<>
			<Button onClick={open}>
				{LABEL}
				<span className="pointer-coarse:hidden">
					<Key name="G" />
				</span>
			</Button>
			<Suspense>
				{isOpen && <ItemExampleDialog queueId={queue.id} item={item} onClose={() => setOpen(false)} />}
			</Suspense>
		</>
	);
}
