import type { ReviewQueue } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useState } from "react";
import { AnnotationValue } from "../../annotating/annotation-value.tsx";
import { openCount, openReviewsQuery } from "../../lib/open-reviews.ts";
import { useMayAddFrom } from "../../lib/project-role.ts";
import type { Drafts } from "../../reviewing/answers.ts";
import { useShell } from "../../shell/shell-context.ts";
import { annotatingTexts } from "../../texts/annotating-en.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-state.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Key } from "../../ui/keys.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Guidance } from "./guidance.tsx";
import { QueueProgress } from "./progress.tsx";
import { ReviewForm } from "./review-form.tsx";
import { SkipDialog } from "./skip-dialog.tsx";
import { spanProjectOf } from "./span-project.ts";
import { useKeptDraft } from "./use-kept-draft.ts";
import type { Reviewing, Shown } from "./use-reviewing.ts";
import { useVisibleSeconds } from "./use-visible-seconds.ts";

const ItemExampleDialog = lazyPart(() => import("./item-example-dialog.tsx"), "ItemExampleDialog", { isOver: true });

const TEXTS = reviewTexts.pane;

interface ReviewPaneProps {
	readonly queue: ReviewQueue;
	readonly shown: Shown;
	/** What the form begins with. */
	readonly drafts: Drafts;
	readonly onDrafts: (drafts: Drafts) => void;
	readonly reviewing: Reviewing;
	readonly onLeave: () => void;
}

/** Guidance and questions beside what is judged. To be mounted anew for each item. */
export function ReviewPane({ queue, shown, drafts: first, onDrafts, reviewing, onLeave }: ReviewPaneProps): ReactNode {
	const [drafts, setDrafts] = useState(first);
	const [dialog, setDialog] = useState<"skip" | "gold">();
	const close = () => setDialog(undefined);
	const shell = useShell();
	const { item, reservedUntil } = shown;
	const { isBusy, isLost, isWaiting, stepsBack } = reviewing;
	const isCurrent = reservedUntil !== undefined;
	const isDecided = item.decision !== null;
	const isStuck = isLost || isWaiting || reviewing.error !== undefined;
	const isReadOnly = isDecided || (isCurrent && isStuck);
	const mayAct = !isBusy && !isReadOnly;
	const seconds = useVisibleSeconds(shown.seconds);
	useKeptDraft({
		...{ queue, itemId: item.id, drafts, seconds, onLost: reviewing.loseTurn },
		isPaused: !isCurrent || isBusy || isStuck,
	});
	const skip = () => (isCurrent && mayAct ? setDialog("skip") : false);
	const mayAdd = useMayAddFrom(spanProjectOf(item));
	const addGold = () => (mayAdd ? setDialog("gold") : false);
	const goBack = () => (stepsBack < reviewing.mostBack ? reviewing.goBack() : false);
	const goForward = () => (stepsBack > 0 ? reviewing.goForward() : false);
	const saveLabel = isCurrent ? TEXTS.save : TEXTS.saveChange;
	return (
		<div className="flex min-h-0 flex-1 flex-col">
			<div className="min-h-0 flex-1 overflow-y-auto">
				<Status queue={queue} stepsBack={stepsBack} />
				<Guidance text={queue.guidance} isKnown={reviewing.saved > 0} />
				{queue.hide_model_annotations && <Known annotations={shown.annotations} />}
				<Notice reviewing={reviewing} isCurrent={isCurrent} isDecided={isDecided} />
				<ReviewForm
					queue={queue}
					drafts={drafts}
					onDrafts={(next) => {
						setDrafts(next);
						onDrafts(next);
					}}
					isReadOnly={isReadOnly}
					onSave={() => mayAct && reviewing.save(drafts, seconds())}
					saveLabel={saveLabel}
					more={[
						{ keys: ["s"], label: TEXTS.skip, run: skip },
						{ keys: ["u"], label: TEXTS.back, run: goBack },
						...(mayAdd ? [{ keys: ["g"], label: TEXTS.gold, run: addGold }] : []),
						...(stepsBack > 0 ? [{ keys: ["Escape"], label: TEXTS.forward, run: goForward }] : []),
					]}
				>
					{(save) => (
						<div className="sticky bottom-0 flex flex-wrap items-center gap-2 border-line border-t bg-canvas px-3 py-2">
							<Button look="primary" disabled={!mayAct} onClick={save}>
								{saveLabel}
								<span aria-hidden className="pointer-coarse:hidden">
									⏎
								</span>
							</Button>
							{isCurrent && (
								<Button disabled={!mayAct} onClick={skip}>
									{TEXTS.skip}
									<ShownKey name="S" />
								</Button>
							)}
							{stepsBack > 0 && <Button onClick={goForward}>{TEXTS.forward}</Button>}
							<Button disabled={stepsBack >= reviewing.mostBack} onClick={goBack}>
								{TEXTS.back}
								<ShownKey name="U" />
							</Button>
							{mayAdd && (
								<Button onClick={addGold}>
									{TEXTS.gold}
									<ShownKey name="G" />
								</Button>
							)}
							<span className="ml-auto flex gap-1">
								<Button look="quiet" onClick={shell.openShortcuts} className="pointer-coarse:hidden">
									{TEXTS.keys}
									<Key name="?" />
								</Button>
								<Button look="quiet" onClick={onLeave}>
									{TEXTS.stop}
								</Button>
							</span>
						</div>
					)}
				</ReviewForm>
			</div>
			{dialog === "skip" && (
				<SkipDialog
					onSkip={(reason) => {
						close();
						reviewing.skip(reason);
					}}
					onClose={close}
				/>
			)}
			<Suspense>{dialog === "gold" && <ItemExampleDialog queueId={queue.id} item={item} onClose={close} />}</Suspense>
		</div>
	);
}

/** What people have said of the target before; the trace beside says nothing of annotations then. */
function Known({ annotations }: Pick<Shown, "annotations">): ReactNode {
	if (annotations.length === 0) return null;
	return (
		<section aria-label={annotatingTexts.existing} className="border-line border-b px-3 py-2">
			<h2 className="text-muted text-sm">{annotatingTexts.existing}</h2>
			<ul className="mt-1 flex flex-wrap gap-1.5">
				{annotations.map((annotation, index) => (
					<li key={`${annotation.name} ${index}`} className="flex items-center gap-1">
						{annotation.name} <AnnotationValue result={annotation.result} />
					</li>
				))}
			</ul>
		</section>
	);
}

function ShownKey({ name }: { name: string }): ReactNode {
	return (
		<span className="pointer-coarse:hidden">
			<Key name={name} />
		</span>
	);
}

/** Which item this is, and how much there is still to do. */
function Status({ queue, stepsBack }: { queue: ReviewQueue; stepsBack: number }): ReactNode {
	const { data: open } = useQuery(openReviewsQuery);
	const left = open?.get(queue.id);
	return (
		<div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-2">
			<p role="status" className="text-muted">
				{stepsBack > 0 ? TEXTS.former(stepsBack) : left === undefined ? TEXTS.current : TEXTS.left(openCount(left))}
			</p>
			<QueueProgress counts={queue.counts} className="min-w-16 flex-1" />
		</div>
	);
}

function Notice({
	reviewing,
	isCurrent,
	isDecided,
}: {
	reviewing: Reviewing;
	isCurrent: boolean;
	isDecided: boolean;
}): ReactNode {
	const { error, refusal, isLost, isWaiting, take } = reviewing;
	if (isDecided) return <p className="bg-sunken px-3 py-2">{TEXTS.decided}</p>;
	if (isCurrent && isWaiting) return <Warning text={TEXTS.waiting} />;
	if (isCurrent && isLost)
		return (
			<Warning text={TEXTS.lost}>
				<Button onClick={take}>{TEXTS.takeAgain}</Button>
			</Warning>
		);
	if (isCurrent && error !== undefined)
		return (
			<Warning text={TEXTS.noNext(errorText(error).message)}>
				<Button onClick={take}>{TEXTS.tryAgain}</Button>
			</Warning>
		);
	return (
		refusal !== undefined && (
			<div className="p-2">
				<FormError error={refusal} />
			</div>
		)
	);
}

function Warning({ text, children }: { text: string; children?: ReactNode }): ReactNode {
	return (
		<div role="alert" className="flex flex-wrap items-center gap-2 bg-warn-soft px-3 py-2 text-warn">
			<span className="min-w-0">{text}</span>
			{children}
		</div>
	);
}
