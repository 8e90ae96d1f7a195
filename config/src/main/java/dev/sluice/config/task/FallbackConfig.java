package dev.sluice.config.task;

import java.nio.file.Path;

/**
 * The way back that is armed before a cutover: section {@code fallback} of a task file. Immutable;
 * prints no secret.
 *
 * @param user the role that applies the way back on the old source. It alone passes the triggers
 *     that a cutover leaves there
 * @param readerUser the role that reads the log of the new side
 * @param dataDir of the daemon of the way back, absolute
 * @param hooks of the cutover back
 */
public record FallbackConfig(
    String user,
    Secret password,
    String readerUser,
    Secret readerPassword,
    Path dataDir,
    HttpAddress http,
    CutoverConfig hooks) {}
