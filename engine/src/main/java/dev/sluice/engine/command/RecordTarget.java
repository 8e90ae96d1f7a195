package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;

/**
 * The file into which a user wants the record of a validation. It is received under another name
 * beside it, and gets its own one when it is complete, so no part of a record looks like one. Only
 * the user may read it: it has keys of rows. Owned by the command's thread.
 */
final class RecordTarget implements AutoCloseable {
  private final Path wanted;
  private final UUID id = UUID.randomUUID();
  private final Path received;

  /** Receives the record. */
  interface Download {
    /** Returns false if there is none. */
    boolean into(Path file) throws IOException, InterruptedException;
  }

  private RecordTarget(Path wanted, Path received) {
    this.wanted = wanted;
    this.received = received;
  }

  /**
   * Creates the file that receives the record, so that what is wrong shows before hours of work.
   *
   * @throws SluiceException.Fatal if the wanted file exists, or cannot be created
   */
  static RecordTarget of(Path wanted) {
    if (Files.exists(wanted, LinkOption.NOFOLLOW_LINKS)) {
      throw exists(wanted);
    }
    Path folder = wanted.toAbsolutePath().getParent();
    try {
      return new RecordTarget(
          wanted,
          Files.createTempFile(
              folder,
              "." + wanted.getFileName() + ".",
              ".part",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
    } catch (IOException e) {
      throw new SluiceException.Fatal(
          new Problem(
              "--record " + wanted,
              "cannot be written: " + folder + " is no directory, or is not writable",
              "a file in a directory that this user may write",
              "Create the directory, or name another one"));
    }
  }

  private static SluiceException.Fatal exists(Path wanted) {
    return new SluiceException.Fatal(
        new Problem(
            "--record " + wanted,
            "exists",
            "a file that does not exist yet: a record is never overwritten",
            "Name another file"));
  }

  /** The id by which the daemon knows the record. */
  UUID id() {
    return id;
  }

  /**
   * Receives the record, checks that all of it came, and gives it its name.
   *
   * @return false if the daemon has none
   */
  boolean receive(Download download) throws InterruptedException {
    try {
      if (!download.into(received)) {
        return false;
      }
      if (!RecordChecksum.isRight(received)) {
        throw new IOException("it is not complete: its checksum is missing or wrong");
      }
      try {
        // Unlike a move, a link never takes the place of a file that somebody made meanwhile.
        Files.createLink(wanted, received);
      } catch (UnsupportedOperationException e) {
        Files.move(received, wanted);
      }
      return true;
    } catch (FileAlreadyExistsException e) {
      throw exists(wanted);
    } catch (IOException e) {
      throw new SluiceException.Fatal(
          "the record cannot be written to %s: %s. Run the command again".formatted(wanted, e), e);
    }
  }

  /** Deletes what was received. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(received);
    } catch (IOException e) {
      throw new SluiceException.Fatal("%s cannot be deleted: %s".formatted(received, e), e);
    }
  }
}
