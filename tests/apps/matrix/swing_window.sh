#!/bin/sh
# Starts MatrixWindow.java with the ATK wrapper, in this process, so that the process id is that of the app.
# Needs Debian's libatk-wrapper-java, libatk-wrapper-java-jni and openjdk-17-jdk.
# The property enables the wrapper: Debian ships its line in accessibility.properties commented out.
exec java \
    -Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper \
    -Djava.library.path=/usr/lib/"$(uname -m)"-linux-gnu/jni \
    -cp /usr/share/java/java-atk-wrapper.jar \
    "$(dirname "$0")/MatrixWindow.java" "$@"
