import { learn, listLessons } from "#models/ledger/lessons.ts";
import type { Database } from "#storage/database.ts";
import type { Lessons } from "./lessons.ts";

/** Lessons that all servers share. */
export function storedLessons(db: Pick<Database, "read" | "write">): Lessons {
	return {
		async find(connectionId, model) {
			return new Set(await listLessons(db.read, { connectionId, model }));
		},
		async learn(connectionId, model, lesson) {
			await db.write((transaction) => learn(transaction, { connectionId, model, lesson }));
		},
		async forget(connectionId, model, lesson) {
			await db.write(async (transaction) => {
				await transaction
					.deleteFrom("model_lessons")
					.where("connection_id", "=", connectionId)
					.where("model", "=", model)
					.where("lesson", "=", lesson)
					.execute();
			});
		},
	};
}
