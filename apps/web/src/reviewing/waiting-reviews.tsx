import { useQueryClient } from "@tanstack/react-query";
import CloudOff from "lucide-react/icons/cloud-off";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { useMe } from "../lib/me.ts";
import { useLocalSetting } from "../lib/use-local-setting.ts";
import { waitingReviews } from "../lib/waiting-reviews.ts";
import { reviewTexts } from "../texts/reviews-en.ts";
import { Button } from "../ui/button.tsx";
import { errorText } from "../ui/error-state.tsx";
import { forgetWaiting, listWaiting, mayBeSentLater, sendReview } from "./outbox.ts";

const TEXTS = reviewTexts.waiting;
const TRY_MS = 3_000;

/** Says on every page that reviews wait in this browser, and sends them when the server is back. */
export function WaitingReviews(): ReactNode {
	const me = useMe();
	const [text] = useLocalSetting(waitingReviews);
	const waiting = listWaiting(text, me?.id);
	const count = waiting.length;
	const [refusal, setRefusal] = useState<Error>();
	const isSending = useRef(false);
	const queries = useQueryClient();
	const send = useEffectEvent(async () => {
		if (isSending.current) return;
		isSending.current = true;
		try {
			for (const review of waiting) {
				const error = await sendOne(review);
				if (error !== undefined && mayBeSentLater(error)) return;
				setRefusal(error);
				forgetWaiting(review.key);
			}
		} finally {
			isSending.current = false;
		}
		for (const key of ["own-reviews", "review-items", "open-reviews"])
			void queries.invalidateQueries({ queryKey: [key] });
	});
	useEffect(() => {
		if (count === 0) return;
		const trySending = () => void send();
		const timer = setInterval(trySending, TRY_MS);
		window.addEventListener("online", trySending);
		return () => {
			clearInterval(timer);
			window.removeEventListener("online", trySending);
		};
	}, [count]);
	if (count === 0 && refusal === undefined) return null;
	return (
		<div
			role="status"
			className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b bg-warn-soft px-3 py-1.5 text-warn"
		>
			<CloudOff size={15} aria-hidden className="shrink-0" />
			{count > 0 ? (
				<>
					<span>{TEXTS.text(count)}</span>
					<Button onClick={() => void send()}>{TEXTS.tryNow}</Button>
				</>
			) : (
				refusal && (
					<>
						<span className="min-w-0 [overflow-wrap:anywhere]">{TEXTS.refused(errorText(refusal).message)}</span>
						<Button onClick={() => setRefusal(undefined)}>{TEXTS.understood}</Button>
					</>
				)
			)}
		</div>
	);
}

/** @returns why it was not taken */
async function sendOne(review: Parameters<typeof sendReview>[0]): Promise<Error | undefined> {
	try {
		await sendReview(review);
		return undefined;
	} catch (error) {
		if (error instanceof Error) return error;
		throw error;
	}
}
