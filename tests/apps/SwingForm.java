// A Swing form with one of each simple control and a password field that contains `hunter2-secret`, which no
// reader may show. Prints `ready` once shown, `pressed` when the button is pressed and `checked true|false`
// when the check box changes. Started by swing_form.sh.

import java.awt.BorderLayout;
import java.awt.GridLayout;
import javax.swing.JButton;
import javax.swing.JCheckBox;
import javax.swing.JComboBox;
import javax.swing.JComponent;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JList;
import javax.swing.JPanel;
import javax.swing.JPasswordField;
import javax.swing.JScrollPane;
import javax.swing.JTextField;
import javax.swing.SwingUtilities;

public class SwingForm {
    public static void main(String[] args) {
        SwingUtilities.invokeLater(SwingForm::show);
    }

    private static void show() {
        JPanel form = new JPanel(new GridLayout(0, 2, 6, 6));
        add(form, "Name", new JTextField("Ada", 20));
        add(form, "Password", new JPasswordField("hunter2-secret", 20));
        add(form, "Country", new JComboBox<>(new String[] {"Finland", "Norway", "Sweden"}));
        JList<String> fruit = new JList<>(new String[] {"Apple", "Banana", "Cherry", "Damson"});
        fruit.getAccessibleContext().setAccessibleName("Fruit");
        add(form, "Fruits", new JScrollPane(fruit));

        JCheckBox news = new JCheckBox("Send news");
        news.addItemListener(event -> System.out.println("checked " + news.isSelected()));
        JButton send = new JButton("Send");
        send.addActionListener(event -> System.out.println("pressed"));
        form.add(news);
        form.add(send);

        JFrame frame = new JFrame("Swing form");
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.add(form, BorderLayout.CENTER);
        frame.pack();
        frame.setVisible(true);
        System.out.println("ready");
    }

    private static void add(JPanel form, String name, JComponent field) {
        JLabel label = new JLabel(name);
        label.setLabelFor(field);
        field.getAccessibleContext().setAccessibleName(name);
        form.add(label);
        form.add(field);
    }
}
