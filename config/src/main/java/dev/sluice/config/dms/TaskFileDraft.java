package dev.sluice.config.dms;

import dev.sluice.config.document.Problem;
import java.util.List;

/**
 * The text of a task file made of a task of DMS. Immutable; holds no password.
 *
 * @param text the whole file
 * @param notes what DMS has and the file has not, each with the value found; they are comments of
 *     the file as well
 * @param problems what {@code sluice check} refuses in the file, with places in it; empty if
 *     nothing
 */
public record TaskFileDraft(String text, List<String> notes, List<Problem> problems) {
  public TaskFileDraft {
    notes = List.copyOf(notes);
    problems = List.copyOf(problems);
  }
}
